# SPDX-License-Identifier: MIT
"""The instruction table, as tests/isa/list_insns prints it, and random words from it."""
import json
import subprocess

from . import guest


class Operand:
    def __init__(self, name, kind, shift, width, high_shift, high_width):
        self.name, self.kind, self.width = name, kind, width + high_width
        self.shift, self.low, self.high_shift, self.high = shift, width, high_shift, high_width
        self.mask = self.put(0, (1 << self.width) - 1)

    def put(self, word, value):
        low, high = (1 << self.low) - 1, (1 << self.high) - 1
        word &= ~(low << self.shift | high << self.high_shift)
        return (word | (value & low) << self.shift | (value >> self.low & high) << self.high_shift)

    def get(self, word):
        return (word >> self.shift & (1 << self.low) - 1 |
                (word >> self.high_shift & (1 << self.high) - 1) << self.low)

    @property
    def signed(self):
        return self.kind == "disp"


class Row:
    """An instruction."""

    def __init__(self, name, mnemonic, value, mask, level, flags, operands):
        self.name, self.mnemonic, self.value, self.mask = name, mnemonic, value, mask
        self.level, self.flags = level, frozenset(flags)
        self.operands = [Operand(*o) for o in operands]
        self.by_name = {o.name: o for o in self.operands}
        self.gprs = [o for o in self.operands if o.kind in ("gpr", "gpr0")]
        self.displacement = next((o for o in self.operands if o.kind == "disp"), None)
        self.bytes = _SIZES.get(name)

    def __repr__(self):
        return self.mnemonic

    @property
    def memory(self):
        """Whether the operands are an address that has to be valid."""
        return bool(self.flags & {"load", "store"}) or self.name in _ADDRESSED

    def get(self, word, name):
        return self.by_name[name].get(word)

    def put(self, word, name, value):
        return self.by_name[name].put(word, value)

    def random(self, rng):
        """A word with random operands."""
        bits = rng.getrandbits(32)
        word = self.value
        for o in self.operands:
            word |= bits & o.mask
        return word & 0xffffffff

    def written_gprs(self, word):
        """General registers that the instruction may write."""
        written = set()
        for o in self.gprs:
            n = o.get(word)
            written.update((n & 30, n | 1) if o.name in ("RTp", "RSp") else (n,))
        return written


_ADDRESSED = {"icbi", "icbt", "dcbt", "dcbtst", "dcbst", "dcbf", "dcbz", "dst", "dstst"}
# Accesses that have to be aligned, bytes.
_SIZES = {"lbarx": 1, "lharx": 2, "lwarx": 4, "ldarx": 8, "lqarx": 16,
          "stbcx_rc": 1, "sthcx_rc": 2, "stwcx_rc": 4, "stdcx_rc": 8, "stqcx_rc": 16,
          "lq": 16, "stq": 16}

BRANCHES = {"b", "ba", "bl", "bla", "bc", "bca", "bcl", "bcla", "bclr", "bclrl", "bcctr", "bcctrl",
            "bctar", "bctarl"}
# A stcx. of another size or address than the larx before it may or may not store (ISA 2.07B
# Book II 1.7.3.1), so in sequences they come in pairs.
ATOMICS = {"lbarx", "lharx", "lwarx", "ldarx", "lqarx", "stbcx_rc", "sthcx_rc", "stwcx_rc",
           "stdcx_rc", "stqcx_rc"}
TRAPS = {"tw", "twi", "td", "tdi"}

# Rows that random words cannot be made of, and why; see also tests/isa/asm.
EXCLUDED_FLAGS = {
    "privileged": "privileged",
    "tm": "transactional memory: qemu fails every transaction",
    "dfp": "decimal floating point is not implemented",
    "le-align": "alignment interrupt in little-endian mode",
}
EXCLUDED = {
    "sc": "system call",
    "scv": "system call",
    "mftb": "time base: differs at every reading",
    "rfebb": "event-based branch",
    "clrbhrb": "branch history: illegal for qemu",
    "icbt": "a hint; illegal for qemu",
    "rnop": "reserved no-ops; illegal for qemu",
    "mfbhrbe": "branch history: illegal for qemu",
    "bca": "an absolute 16-bit target is no address a program can have; see tests/isa/asm",
    "bcla": "an absolute 16-bit target is no address a program can have; see tests/isa/asm",
}

ISA_V3_0 = 9


def load(command):
    """All rows, in the order of the table."""
    text = subprocess.run([command], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [Row(**json.loads(line)) for line in text.splitlines()]


def excluded(row):
    """Why a row is not tested against another emulator; None if it is."""
    if row.level >= ISA_V3_0:
        return "not an instruction of POWER8"
    for flag, why in EXCLUDED_FLAGS.items():
        if flag in row.flags:
            return why
    return EXCLUDED.get(row.name)


def profiles(row):
    """What the vector-scalar registers should hold for a row: most suitable first."""
    name = row.name.removesuffix("_rc")
    if name.startswith("bcd"):
        return [guest.PROFILE_DECIMAL]
    if name.startswith("xv") and "sp" in name:
        return [guest.PROFILE_SINGLE, guest.PROFILE_DOUBLE, guest.PROFILE_INTEGER]
    if name.startswith("xs") and name.endswith("sp") or "fp" in row.flags and name.endswith("s"):
        return [guest.PROFILE_DOUBLE, guest.PROFILE_SCALAR_SINGLE]
    if "fp" in row.flags or name.startswith(("xs", "xv")):
        return [guest.PROFILE_DOUBLE, guest.PROFILE_INTEGER]
    if "vec" in row.flags and "fp" in name or name.startswith(("vcf", "vct", "vrfi", "vr", "vlog",
                                                              "vexp")):
        return [guest.PROFILE_SINGLE, guest.PROFILE_INTEGER]
    return [guest.PROFILE_INTEGER, guest.PROFILE_MIXED]
