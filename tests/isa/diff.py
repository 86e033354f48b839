#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare every instruction with another emulator.

Random operands for each row of the instruction table, and random short sequences, are run by
the same guest program (tests/isa/guest) under powertm and under qemu-ppc64le; registers, CR, XER,
LR, CTR, TAR, FPSCR, VSCR, VRSAVE, all VSRs and memory are compared. Differences that are known and
explained stand in tests/isa/difftest/deviations.py. A run is repeated with the seed that it prints.
"""
import argparse
import os
import pathlib
import re
import shlex
import shutil
import sys
import time

from difftest import arithmetic, cases, compare, deviations, guest, insns, report

SKIPPED = 77


def arguments():
    build = os.environ.get("POWERTM_BUILD", "build")
    powertm = os.environ.get("POWERTM", f"{build}/src/cli/powertm")
    long = os.environ.get("POWERTM_LONG") == "1"
    p = argparse.ArgumentParser(description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--insn", metavar="PATTERN", help="only rows whose name matches (regex)")
    p.add_argument("--cases", type=int, metavar="N", default=1024 if long else 192,
                   help="operand sets for each instruction (%(default)s)")
    p.add_argument("--sequences", type=int, metavar="N", default=100000 if long else 10000,
                   help="random sequences (%(default)s)")
    p.add_argument("--seed", type=lambda s: int(s, 0), default=None if long else 207,
                   help="default: a new one with POWERTM_LONG=1, else always the same")
    p.add_argument("--verbose", action="store_true", help="every difference, not one of each row")
    p.add_argument("--list", action="store_true", help="print rows and known deviations, and stop")
    p.add_argument("--powertm", metavar="COMMAND", default=f"{powertm} run")
    p.add_argument("--qemu", metavar="COMMAND", default="qemu-ppc64le -cpu power8")
    p.add_argument("--table", metavar="PROGRAM", default=f"{build}/tests/isa/list_insns")
    p.add_argument("--guest", metavar="PROGRAM", default=f"{build}/tests/isa/isatest")
    return p.parse_args()


def show_list(rows):
    for row in rows:
        why = insns.excluded(row)
        print(f"{row.name:14} {row.mnemonic:14} " + (f"not tested: {why}" if why else "tested"))
    print()
    for d in deviations.LIST:
        print(f"{d.name}: {d.rows.pattern}\n    {d.reason}")


def progress(what):
    started = time.monotonic()

    def show(done, of):
        print(f"# {what}: {done} of {of} cases, {time.monotonic() - started:.0f} s",
              file=sys.stderr, flush=True)
    return show


def report_all(differences, exact, verbose, names):
    """Say what is wrong; returns whether anything is."""
    for line in report.summary(differences, names, 1000 if verbose else 1):
        print(line)
    seen = set()
    for row, text in exact.wrong:
        if verbose or row not in seen:
            print(text)
        seen.add(row)
    if exact.wrong:
        print(f"{len(exact.wrong)} results are not what exact arithmetic says")
    if differences:
        count = len({d.row.name for d in differences if d.row})
        print(f"{len(differences)} differences in {count} instructions")
    return bool(differences or exact.wrong)


def compare_all(args, rows, seed):
    """All comparisons; returns whether something differs that should not."""
    tested = [r for r in rows if not insns.excluded(r)]
    if args.insn:
        tested = [r for r in tested if re.fullmatch(args.insn, r.name)]
    ours = guest.Emulator("powertm", shlex.split(args.powertm), args.guest)
    theirs = guest.Emulator("qemu", shlex.split(args.qemu), args.guest, skip_sigfpe=True)

    single = compare.Comparison(ours, theirs)
    single.run([c for r in tested for c in cases.for_row(r, seed, args.cases, deviations.masks)],
               progress("instructions"))
    print(f"{len(tested)} of {len(rows)} instructions, {single.sets} operand sets")

    exact = arithmetic.Arithmetic(ours, tested, seed)
    exact.run(args.cases, args.sequences // 10)
    print(f"{len(exact.rows)} instructions against exact arithmetic, {exact.count} operand sets")

    broken = {d.row.name for d in single.differences if d.row}
    usable = [r for r in tested if r.name not in broken and deviations.in_sequences(r)]
    many = compare.Comparison(ours, theirs)
    if args.sequences and usable:
        maker = cases.Sequences(usable, seed, deviations.SEQUENCE_MASKS)
        many.run([maker.make(i, 2) for i in range(args.sequences)], progress("sequences"))
        print(f"{args.sequences} sequences of {len(usable)} instructions, {many.sets} operand sets")

    for name, count in sorted((single.excused + many.excused).items()):
        print(f"known deviation {name}: {count} operand sets")
    return report_all(single.differences + many.differences, exact, args.verbose,
                      (ours.name, theirs.name))


def main():
    args = arguments()
    for program in (args.table, args.guest):
        if not pathlib.Path(program).exists():
            print(f"{program} is not built")
            return SKIPPED
    if not shutil.which(shlex.split(args.qemu)[0]):
        print(f"{args.qemu}: not there")
        return SKIPPED
    rows = insns.load(args.table)
    if args.list:
        show_list(rows)
        return 0
    seed = args.seed if args.seed is not None else int.from_bytes(os.urandom(4), "little")
    print(f"seed {seed:#x}")
    if compare_all(args, rows, seed):
        print(f"repeat with --seed {seed:#x}")
        return 1
    print("no differences")
    return 0


if __name__ == "__main__":
    sys.exit(main())
