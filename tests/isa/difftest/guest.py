# SPDX-License-Identifier: MIT
"""The case files of tests/isa/guest/isatest.c, and running it under an emulator."""
import dataclasses
import signal
import struct
import subprocess

MAGIC = 0x74736574617369
FILE_SKIP_SIGFPE = 1
CASE_MEMORY = 1
CASE_HOLDER_B = 2
REPORT_DIGEST, REPORT_SETS, REPORT_STATES = range(3)
(FIXUP_ADDRESS, FIXUP_SUM, FIXUP_MEMORY, FIXUP_CODE, FIXUP_SMALL, FIXUP_SET, FIXUP_RELOCATE,
 FIXUP_XER) = range(8)
(PROFILE_MIXED, PROFILE_INTEGER, PROFILE_DOUBLE, PROFILE_SINGLE, PROFILE_SCALAR_SINGLE,
 PROFILE_DECIMAL) = range(6)

SLOT_CR, SLOT_XER, SLOT_LR, SLOT_CTR, SLOT_FPSCR, SLOT_VRSAVE, SLOT_VSCR = range(32, 39)
SLOT_TAR = 40
SLOT_VSR = 48
SLOTS = 176
MEMORY_BYTES = 512
COMPARED = [*range(0, 39), SLOT_TAR, *range(SLOT_VSR, SLOTS)]
STATE_BYTES = SLOTS * 8 + MEMORY_BYTES
ALL_BITS = (1 << 64) - 1
HOLDERS = (13, 30)

NOP = 0x60000000


def slot_name(slot):
    if slot < 32:
        return f"r{slot}"
    if slot >= SLOT_VSR:
        number, half = divmod(slot - SLOT_VSR, 2)
        return f"vs{number}.dw{half}" + (f" (v{number - 32})" if number >= 32 else f" (f{number})")
    return {SLOT_CR: "cr", SLOT_XER: "xer", SLOT_LR: "lr", SLOT_CTR: "ctr", SLOT_FPSCR: "fpscr",
            SLOT_VRSAVE: "vrsave", SLOT_VSCR: "vscr", SLOT_TAR: "tar"}.get(slot, f"slot {slot}")


@dataclasses.dataclass
class Case:
    """Words to run on a number of operand sets; the parts are as in isatest.c."""

    words: list
    seed: int
    sets: int
    rows: list  # the row of each word, or None
    first: int = 0
    profile: int = PROFILE_MIXED
    memory: bool = False
    holder_b: bool = False
    fixups: list = dataclasses.field(default_factory=list)  # (kind, slot, other, align, value)
    masks: dict = dataclasses.field(default_factory=dict)  # slot -> bits to compare
    enables: int = 0
    report: int = REPORT_DIGEST

    @property
    def holder(self):
        return HOLDERS[self.holder_b]

    def but(self, **changes):
        return dataclasses.replace(self, **changes)

    def pack(self):
        flags = (CASE_MEMORY if self.memory else 0) | (CASE_HOLDER_B if self.holder_b else 0)
        words = self.words + [0] * (len(self.words) & 1)
        return b"".join((
            struct.pack("<QIIIHHBBBBI", self.seed, self.first, self.sets, len(self.words),
                        len(self.fixups), len(self.masks), flags, self.profile, self.report,
                        self.enables, 0),
            struct.pack(f"<{len(words)}I", *words),
            *(struct.pack("<BBBBi", *f) for f in self.fixups),
            *(struct.pack("<QQ", *m) for m in self.masks.items())))


@dataclasses.dataclass(frozen=True)
class Died:
    """The emulator, or the program in it, ended in the middle of a case."""

    why: str


@dataclasses.dataclass
class State:
    """Registers and memory before or after a case."""

    slots: tuple
    memory: bytes

    @classmethod
    def parse(cls, data, at):
        return cls(struct.unpack_from(f"<{SLOTS}Q", data, at),
                   data[at + SLOTS * 8:at + STATE_BYTES])


class Emulator:
    """A command that runs the guest program."""

    def __init__(self, name, command, program, skip_sigfpe=False, limit=600):
        self.name, self.command, self.limit = name, [*command, program], limit
        self.flags = FILE_SKIP_SIGFPE if skip_sigfpe else 0

    def run(self, cases):
        """The output of each case, or Died."""
        results = []
        packed = [case.pack() for case in cases]
        while len(results) < len(cases):
            rest = packed[len(results):]
            file = struct.pack("<QII", MAGIC, len(rest), self.flags) + b"".join(rest)
            try:
                done = subprocess.run(self.command, input=file, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, timeout=self.limit, check=False)
                status, output, errors = done.returncode, done.stdout, done.stderr
            except subprocess.TimeoutExpired as error:
                status, output, errors = None, error.stdout or b"", error.stderr or b""
            parsed = self.parse(output, cases[len(results):])
            results += parsed
            if status == 0 and len(parsed) == len(rest):
                break
            if len(results) < len(cases):
                results.append(Died(self.reason(status, errors)))
        return results

    def parse(self, output, cases):
        results, at = [], 0
        while at + 8 <= len(output) and len(results) < len(cases):
            number, size = struct.unpack_from("<II", output, at)
            if number != len(results) or at + 8 + size > len(output):
                break
            results.append(output[at + 8:at + 8 + size])
            at += 8 + size
        return results

    def reason(self, status, errors):
        last = errors.decode("utf-8", "replace").strip().splitlines()
        last = next((line for line in last if line.strip()), "")[:200]
        if status is None:
            return f"took more than {self.limit} s"
        if status < 0:
            return f"{signal.Signals(-status).name} {last}".strip()
        return f"exit status {status} {last}".strip()
