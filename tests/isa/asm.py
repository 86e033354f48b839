#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Assemble, run and check the tests of tests/isa/asm; see asmtest.h there. Output is TAP."""
import argparse
import os
import pathlib
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

from difftest import guest

HERE = pathlib.Path(__file__).resolve().parent
GCC = "powerpc64le-linux-gnu-gcc"
FLAGS = ["-O2", "-mcpu=power8", "-ffreestanding", "-fno-stack-protector", "-fno-pie", "-no-pie",
         "-static", "-nostdlib", "-I", str(HERE / "guest"), "-I", str(HERE / "asm"),
         "-Wl,-z,max-page-size=65536", "-Wl,-z,noexecstack"]
PLAIN = ["-mno-vsx", "-mno-altivec", "-msoft-float"]
MEMORY_BYTES = 1024
SKIPPED = 77

TEST = re.compile(r"^TEST\((\w+)\)(.*?)^END", re.M | re.S)
EXPECTED = re.compile(r"/\*=(.*?)\*/", re.S)
SINGLE = {"cr": guest.SLOT_CR, "xer": guest.SLOT_XER, "lr": guest.SLOT_LR, "ctr": guest.SLOT_CTR,
          "tar": guest.SLOT_TAR, "fpscr": guest.SLOT_FPSCR, "vscr": guest.SLOT_VSCR,
          "vrsave": guest.SLOT_VRSAVE}


class Test:
    def __init__(self, file, number, name, body):
        self.number, self.name = number, f"{file.stem}/{name}"
        self.expected = {}
        for comment in EXPECTED.findall(body):
            for part in comment.replace("*", " ").split(","):
                what, value = (word.strip() for word in part.split("="))
                self.expected[what] = value
        if not self.expected:
            sys.exit(f"asm.py: {self.name} expects nothing")


def tests_of(file):
    return [Test(file, number, *m) for number, m in enumerate(TEST.findall(file.read_text()))]


def register(what, slots, memory):
    """The value of a register by its name in a test."""
    kind, number = re.fullmatch(r"([a-z]+)\+?(\d*)", what).groups()
    if what in SINGLE:
        return slots[SINGLE[what]]
    n = int(number)
    if kind == "r":
        return slots[n]
    if kind == "cr":
        return slots[guest.SLOT_CR] >> 4 * (7 - n) & 15
    if kind == "f":
        return slots[guest.SLOT_VSR + 2 * n]
    if kind in ("vs", "v"):
        n = guest.SLOT_VSR + 2 * (n + 32 * (kind == "v"))
        return slots[n] << 64 | slots[n + 1]
    if kind == "mem":
        return struct.unpack_from("<Q", memory, n)[0]
    raise KeyError(what)


def number(text, what):
    value = int(text.replace(" ", ""), 0)
    return value % (1 << 128 if re.match("vs?[0-9]", what) else 1 << 64)


def check(test, done):
    """What is wrong with the outcome of a test; empty if nothing is."""
    wanted = test.expected.get("signal")
    if done.returncode < 0:
        got = signal.Signals(-done.returncode).name
        return [] if got == wanted else [f"ended by {got}; " + done.stderr.decode().strip()]
    if wanted:
        return [f"no {wanted}"]
    size = guest.SLOTS * 8
    if done.returncode or len(done.stdout) != size + MEMORY_BYTES:
        return [f"exit status {done.returncode}; " + done.stderr.decode().strip()]
    slots = struct.unpack(f"<{guest.SLOTS}Q", done.stdout[:size])
    wrong = []
    for what, text in test.expected.items():
        value, wanted = register(what, slots, done.stdout[size:]), number(text, what)
        if value != wanted:
            wrong.append(f"{what} is {value:#x}, expected {wanted:#x}")
    return wrong


def run(test, command, program):
    """What is wrong; empty if nothing is."""
    try:
        done = subprocess.run([*command, program], check=False, input=str(test.number).encode(),
                              capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return ["took more than 60 s"]
    return check(test, done)


def build(file, common, folder):
    """The program of a file; None if it cannot be assembled, as the assembler will have said."""
    program = folder / file.stem
    done = subprocess.run([GCC, *FLAGS, "-o", program, file, *common], check=False)
    return None if done.returncode else program


def main():
    env = os.environ
    powertm = env.get("POWERTM", env.get("POWERTM_BUILD", "build") + "/src/cli/powertm")
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--powertm", metavar="COMMAND", default=f"{powertm} run")
    p.add_argument("-k", metavar="PATTERN", default="", help="only tests whose name has this")
    p.add_argument("--list", action="store_true", help="print the names and stop")
    args = p.parse_args()
    if not shutil.which(GCC):
        print(f"{GCC} is not there")
        return SKIPPED
    failed = count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        common = []
        for source in (HERE / "asm/run.c", HERE / "guest/enter.S"):
            common.append(folder / (source.stem + ".o"))
            plain = PLAIN if source.suffix == ".c" else []
            subprocess.run([GCC, *FLAGS, *plain, "-c", "-o", common[-1], source], check=True)
        for file in sorted((HERE / "asm").glob("*.S")):
            wanted = [t for t in tests_of(file) if re.search(args.k, t.name)]
            if args.list:
                print("\n".join(t.name for t in wanted))
                continue
            program = wanted and build(file, common, folder)
            for test in wanted:
                count += 1
                wrong = run(test, shlex.split(args.powertm), program) if program else ["not built"]
                failed += bool(wrong)
                print(f"{'not ok' if wrong else 'ok'} {count} - {test.name}")
                for line in wrong:
                    print(f"# {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
