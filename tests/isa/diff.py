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

from difftest import cases, compare, deviations, fpmodel, guest, insns, report

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
    p.add_argument("--seed", type=lambda s: int(s, 0), help="default: a new one")
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


def check_arithmetic(emulator, rows, seed, sets):
    """Compare scalar floating point with exact arithmetic; returns lines about what is wrong."""
    rows = [r for r in rows if fpmodel.modelled(r)]
    work = [c.but(report=guest.REPORT_STATES, masks={}, enables=enables) for r in rows
            for enables in (0, fpmodel.VE | fpmodel.OE | fpmodel.UE | fpmodel.ZE | fpmodel.XE)
            for c in cases.for_row(r, f"{seed} {enables}", sets // 2, deviations.masks)]
    count, wrong = 0, []
    for at in range(0, len(work), 400):
        for case, result in zip(work[at:], emulator.run(work[at:at + 400])):
            row, word = case.rows[0], case.words[0]
            if isinstance(result, guest.Died):
                wrong.append((row, f"{row.name}: {result.why}"))
                continue
            for i in range(case.sets):
                before, after = (guest.State.parse(result, (2 * i + n) * guest.STATE_BYTES)
                                 for n in (0, 1))
                found = fpmodel.check(row, word, before, after)
                count += 1
                if found:
                    wrong.append((row, "\n".join(
                        [f"{row.name}: not what exact arithmetic says: " + "; ".join(found),
                         *report.describe_inputs(case, i, before)])))
    print(f"{len(rows)} instructions against exact arithmetic, {count} operand sets")
    return wrong


def progress(what):
    started = time.monotonic()

    def show(done, of):
        print(f"# {what}: {done} of {of} cases, {time.monotonic() - started:.0f} s",
              file=sys.stderr, flush=True)
    return show


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
    tested = [r for r in rows if not insns.excluded(r)]
    if args.insn:
        tested = [r for r in tested if re.fullmatch(args.insn, r.name)]
    ours = guest.Emulator("powertm", shlex.split(args.powertm), args.guest)
    theirs = guest.Emulator("qemu", shlex.split(args.qemu), args.guest, skip_sigfpe=True)
    comparison = compare.Comparison(ours, theirs)
    names = (ours.name, theirs.name)

    print(f"seed {seed:#x}")
    work = [c for r in tested for c in cases.for_row(r, seed, args.cases, deviations.masks)]
    comparison.run(work, progress("instructions"))
    single_sets, single = comparison.sets, comparison.differences
    print(f"{len(tested)} of {len(rows)} instructions, {single_sets} operand sets")

    arithmetic = check_arithmetic(ours, tested, seed, args.cases)
    if args.sequences:
        broken = {d.row.name for d in single if d.row}
        usable = [r for r in tested if r.name not in broken and not deviations.always(r)]
        comparison.differences = []
        maker = cases.Sequences(usable, seed)
        comparison.run([maker.make(i, 2) for i in range(args.sequences)], progress("sequences"))
        print(f"{args.sequences} sequences of {len(usable)} instructions, "
              f"{comparison.sets - single_sets} operand sets")

    differences = single + (comparison.differences if args.sequences else [])
    for name, count in sorted(comparison.excused.items()):
        print(f"known deviation {name}: {count} operand sets")
    for line in report.summary(differences, names, 1000 if args.verbose else 1):
        print(line)
    seen = set()
    for row, text in arithmetic:
        if args.verbose or row not in seen:
            print(text)
        seen.add(row)
    if arithmetic:
        print(f"{len(arithmetic)} results are not what exact arithmetic says; repeat with "
              f"--seed {seed:#x}")
    if differences:
        print(f"{len(differences)} differences in {len({d.row.name for d in differences if d.row})}"
              f" instructions; repeat with --seed {seed:#x}")
    if differences or arithmetic:
        return 1
    print("no differences")
    return 0


if __name__ == "__main__":
    sys.exit(main())
