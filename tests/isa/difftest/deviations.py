# SPDX-License-Identifier: MIT
"""Where powertm and qemu-ppc64le may differ: a named list with the reason of each.

An entry says which rows it is about, which bits of the result it excuses and, where that depends
on the operands, in which cases. Whatever it does not excuse is compared.
"""
import math
import re
import struct

from . import fpmodel, guest


class Context:
    """An instruction, what it started from, and what the two emulators made of it."""

    def __init__(self, row, word, before, ours, theirs):
        self.row, self.word = row, word
        self.before, self.ours, self.theirs = before, ours, theirs

    def gpr(self, operand):
        """The general register that an operand names, before."""
        return self.before.slots[self.row.get(self.word, operand)]


class Deviation:
    """An entry of the list.

    rows     regular expression for the names of rows
    ignore   function of row and word: {slot: bits that are not compared}
    when     function of a Context: whether the entry applies; None for always
    reason   why powertm is right, or why neither is wrong
    """

    def __init__(self, name, rows, ignore, reason, when=None):
        self.name, self.rows, self.ignore = name, re.compile(rows), ignore
        self.when, self.reason = when, " ".join(reason.split())

    def covers(self, row):
        return self.rows.fullmatch(row.name) is not None


def target(*slots, operand="RT", bits=guest.ALL_BITS):
    """Bits of the register that an operand names, and whole other slots."""
    def ignore(row, word):
        return {row.get(word, operand): bits, **{slot: guest.ALL_BITS for slot in slots}}
    return ignore


def field(slot, bits):
    return lambda row, word: {slot: bits}


FPSCR_FX = 0x80000000
FPSCR_OX = 0x10000000
FPSCR_UX = 0x8000000
FPSCR_ZX = 0x4000000
FPSCR_XX = 0x2000000
FPSCR_FR = 0x40000
FPSCR_FI = 0x20000
FPSCR_C = 0x10000
FPSCR_FPRF = 0x1f000
FPSCR_EXCEPTIONS = 0x1ff80700  # all but the summaries FX, FEX and VX
CR0 = 0xf0000000
CR0_EQ = 0x20000000
WORD = 0xffffffff


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - ((value >> (bits - 1)) << bits)


def quotient(c):
    """The mathematical quotient of a division, and its bits; None for a division by zero."""
    name = c.row.name
    bits = 64 if name.startswith("divd") else 32
    unsigned = "u" in name
    a, b = (c.gpr(r) & (1 << bits) - 1 if unsigned else signed(c.gpr(r), bits)
            for r in ("RA", "RB"))
    if name[4:5] == "e":
        a <<= bits
    if b == 0:
        return None, bits, unsigned
    q = abs(a) // abs(b)
    return (q if (a < 0) == (b < 0) else -q), bits, unsigned


def does_not_fit(c):
    q, bits, unsigned = quotient(c)
    if q is None:
        return True
    return not (0 <= q < 1 << bits if unsigned else -1 << (bits - 1) <= q < 1 << (bits - 1))


def result_is_zero(c):
    """RT is 0; OV and SO are set if the instruction sets them; CR0 is as it should be."""
    ok = c.ours.slots[c.row.get(c.word, "RT")] == 0
    xer = c.ours.slots[guest.SLOT_XER]
    if "o" in c.row.name:
        ok = ok and xer & 0xc0000000 == 0xc0000000
    if "rc" in c.row.flags:
        ok = ok and c.ours.slots[guest.SLOT_CR] & CR0 == CR0_EQ | (xer & 0x80000000) >> 3
    return ok


def word_result_is_zero_extended(c):
    q, bits, _ = quotient(c)
    value = c.ours.slots[c.row.get(c.word, "RT")]
    ok = q is not None and bits == 32 and not does_not_fit(c) and value == q & WORD
    if "rc" in c.row.flags:
        cr0 = 0x20000000 if value == 0 else 0x40000000
        ok = ok and c.ours.slots[guest.SLOT_CR] & 0xe0000000 == cr0
    return ok


def vsr(row, word, operand):
    """Slot of doubleword 0 of the vector-scalar register that an operand names."""
    o = row.by_name[operand]
    return guest.SLOT_VSR + 2 * (o.get(word) + 32 * (o.kind == "vr"))


def has_invalid_digits(c):
    """Whether an operand of bcdadd. or bcdsub. is no packed decimal number."""
    for operand in ("VRA", "VRB"):
        slot = vsr(c.row, c.word, operand)
        digits = f"{c.before.slots[slot]:016x}{c.before.slots[slot + 1]:016x}"
        if not digits[:-1].isdecimal() or digits[-1] in "0123456789":
            return True
    return False


def both_are_decimal_zeros(c):
    """Whether both operands of bcdadd. or bcdsub. are 0, of whatever sign."""
    return not has_invalid_digits(c) and all(
        c.before.slots[slot] == 0 and c.before.slots[slot + 1] >> 4 == 0
        for slot in (vsr(c.row, c.word, operand) for operand in ("VRA", "VRB")))


def is_plus_zero(c):
    """VRT is 0 with a preferred sign of plus, and CR6 says equal."""
    slot = vsr(c.row, c.word, "VRT")
    return (c.ours.slots[slot] == 0 and c.ours.slots[slot + 1] in (0xc, 0xf)
            and c.ours.slots[guest.SLOT_CR] & 0xf0 == 0x20)


def fx_bits(row, word):
    ignored = {guest.SLOT_FPSCR: FPSCR_FX}
    if "rc" in row.flags and "fp" in row.flags:
        ignored[guest.SLOT_CR] = 0x08000000
    return ignored


def fx_is_right(c):
    before, after = (s.slots[guest.SLOT_FPSCR] for s in (c.before, c.ours))
    fx = before & FPSCR_FX or after & ~before & FPSCR_EXCEPTIONS
    return bool(fx) == bool(after & FPSCR_FX)


def classify(bits, single):
    """FPRF of a number in double format; of one that came from a single-precision operation."""
    exponent, fraction = bits >> 52 & 0x7ff, bits & (1 << 52) - 1
    negative = bits >> 63
    if exponent == 0x7ff and fraction:
        return 0b10001
    if exponent == 0x7ff:
        return 0b01001 if negative else 0b00101
    if exponent == 0 and fraction == 0:
        return 0b10010 if negative else 0b00010
    if exponent <= (1023 - 127 if single else 0):
        return 0b11000 if negative else 0b10100
    return 0b01000 if negative else 0b00100


def fprf_is_right(c):
    target = "FRT" if "FRT" in c.row.by_name else "XT"
    result = c.ours.slots[vsr(c.row, c.word, target)]
    single = not c.row.name.startswith("fcfidu") or c.row.name.startswith("fcfidus")
    return (c.ours.slots[guest.SLOT_FPSCR] & FPSCR_FPRF) >> 12 == classify(result, single)


def enabled(c):
    return c.ours.slots[guest.SLOT_FPSCR] & 0x40000000


def rounds_up_or_down(c):
    return c.before.slots[guest.SLOT_FPSCR] & 3 >= 2


def arithmetic_is_right(c):
    """Registers and FPSCR are what fpmodel.py says; FR has been masked."""
    return fpmodel.check(c.row, c.word, c.before, c.ours, FPSCR_FR) == []


def keeps(bits):
    """Whether bits of the FPSCR are as before."""
    return lambda c: not (c.ours.slots[guest.SLOT_FPSCR] ^ c.before.slots[guest.SLOT_FPSCR]) & bits


def scalar_result(row, word):
    target = vsr(row, word, "FRT" if "FRT" in row.by_name else "XT")
    return {target: guest.ALL_BITS, guest.SLOT_FPSCR: WORD, guest.SLOT_CR: 0x0f000000}


def vector_result(row, word):
    target = vsr(row, word, "XT")
    return {target: guest.ALL_BITS, target + 1: guest.ALL_BITS, guest.SLOT_FPSCR: WORD}


def has_zero(c):
    """Whether an element of XB is zero."""
    slot = vsr(c.row, c.word, "XB")
    double = c.row.name.endswith("dp")
    halves = c.before.slots[slot:slot + (2 if "xv" in c.row.name else 1)]
    if double or "xs" in c.row.name:
        return any(h << 1 & guest.ALL_BITS == 0 for h in halves)
    return any((h >> shift & 0x7fffffff) == 0 for h in halves for shift in (32, 0))


def has_tiny_reciprocal(c):
    """Whether the reciprocal of an element of XB is denormal."""
    slot = vsr(c.row, c.word, "XB")
    halves = c.before.slots[slot:slot + 2]
    if c.row.name.endswith("dp"):
        return any(0x7fd << 52 <= h & ~(1 << 63) < 0x7ff << 52 for h in halves)
    return any(0xfd << 23 <= h >> shift & 0x7fffffff < 0xff << 23
               for h in halves for shift in (32, 0))


def reciprocal_of_zero(c):
    source, target = ("FRB", "FRT") if "FRB" in c.row.by_name else ("XB", "XT")
    b = c.before.slots[vsr(c.row, c.word, source)]
    sign = 1 << 63
    infinity = 0x7ff << 52
    return b & ~sign == 0 and c.ours.slots[vsr(c.row, c.word, target)] == b | infinity


def singles(state, slot):
    """The four single-precision elements of a register."""
    return [struct.unpack("<f", struct.pack("<I", dw >> shift & WORD))[0]
            for dw in state.slots[slot:slot + 2] for shift in (32, 0)]


def powers_are_near(c):
    """Whether all numbers are within 1/16 of 2 to the power of the operands."""
    for x, power in zip(singles(c.before, vsr(c.row, c.word, "VRB")),
                        singles(c.ours, vsr(c.row, c.word, "VRT"))):
        if x != x:
            ok = power != power
        elif x >= 128:
            ok = power == math.inf
        elif x < -126:  # denormal: flushed to zero if VSCR[NJ]
            ok = 0 <= power <= 2.0 ** -126
        else:
            ok = abs(power / 2.0 ** x - 1) <= 1 / 16
        if not ok:
            return False
    return True


def no_quotient(row, word):
    ignored = {row.get(word, "RT"): guest.ALL_BITS}
    if "o" in row.name:
        ignored[guest.SLOT_XER] = 0xc0000000
    if "rc" in row.flags:
        ignored[guest.SLOT_CR] = CR0
    return ignored


LIST = [
    Deviation(
        "division-without-quotient", r"div[wd]e?u?o?(_rc)?", no_quotient,
        """Division by zero, or a quotient that does not fit: the ISA leaves RT (and CR0 but for SO)
        undefined. POWER processors deliver 0, as the results that were recorded on them show
        (Valgrind, none/tests/ppc64: jm-int, test_isa_2_06_part2-div and part3-div); qemu delivers
        the dividend or whatever the host does, and for divdeo does not always set OV.""",
        when=lambda c: does_not_fit(c) and result_is_zero(c)),
    Deviation(
        "word-division-high-half", r"divwe?o?(_rc)?", target(guest.SLOT_CR),
        """The upper half of RT is undefined after a word division, and with it CR0. POWER
        processors clear it: the recorded divwe. of 5 << 32 by 0xfabc1234 gives 0xffffff0d
        and CR0 = GT; qemu sign-extends the results of divwe.""",
        when=word_result_is_zero_extended),
    Deviation(
        "vrsave-is-32-bits", r"mtspr", field(guest.SLOT_VRSAVE, WORD << 32),
        """VRSAVE is a 32-bit register (ISA 2.07B Book I 6.3.3); qemu keeps 64 bits.""",
        when=lambda c: c.ours.slots[guest.SLOT_VRSAVE] >> 32 == 0),
    Deviation(
        "vscr-has-two-bits", r"mtvscr", field(guest.SLOT_VSCR, ~0x00010001 & guest.ALL_BITS),
        """VSCR has the bits NJ and SAT; the others are reserved (ISA 2.07B Book I 6.3.2). qemu
        keeps what is written to them.""",
        when=lambda c: c.ours.slots[guest.SLOT_VSCR] & ~0x00010001 == 0),
    Deviation(
        "scalar-clears-second-doubleword", r"lxs(d|s|iwa|iwz|sp)x|mtvsr(d|wa|wz)",
        lambda row, word: {vsr(row, word, "XT") + 1: guest.ALL_BITS},
        """A scalar result leaves doubleword 1 of its register undefined. POWER8 clears it; qemu
        does so after some instructions and keeps the old contents after these.""",
        when=lambda c: c.ours.slots[vsr(c.row, c.word, "XT") + 1] == 0),
    Deviation(
        "fx-when-a-bit-changes", r"f.*|x[sv].*|v.*|mtfsb1(_rc)?", fx_bits,
        """FPSCR[FX] is set when an exception bit changes from 0 to 1 (ISA 2.07B Book I 4.2.2). qemu
        sets it as well when the bit of an exception was 1 already, and mtfsb1 does not set it there
        for the VX bits.""",
        when=fx_is_right),
    Deviation(
        "class-of-single", r"f.*s(_rc)?|frsp(_rc)?|xs.*sp|fcfidu(_rc)?",
        field(guest.SLOT_FPSCR, FPSCR_FPRF),
        """FPSCR[FPRF] after a single-precision operation is the class of the number in that format:
        qemu takes what is denormal there for normal. fcfids, fcfidu and fcfidus set FPRF as well,
        which they do not do there.""",
        when=fprf_is_right),
    Deviation(
        "negated-after-rounding", r"fnm(add|sub)s?(_rc)?|xsnm(add|sub)[am][ds]p", scalar_result,
        """The negated multiply-adds round the sum and then negate it (ISA 2.07B Book I 4.6.6.2).
        qemu 7.2 negates first, which differs when rounding towards plus or minus infinity.""",
        when=lambda c: rounds_up_or_down(c) and arithmetic_is_right(c)),
    Deviation(
        "negated-after-rounding-vector", r"xvnm(add|sub)[am][ds]p", vector_result,
        """The same for vectors.""",
        when=lambda c: rounds_up_or_down(c) and arithmetic_is_right(c)),
    Deviation(
        "rounded-once", r"xs(add|sub|mul|div|sqrt)sp|xsn?m(add|sub)[am]sp|xscv[su]xdsp",
        scalar_result,
        """VSX single-precision arithmetic rounds once (ISA 2.07B Book I 7.4.2); qemu rounds to
        double first and then to single, and so loses underflow too.""",
        when=arithmetic_is_right),
    Deviation(
        "vector-leaves-fr-and-fi", r"xv.*", field(guest.SLOT_FPSCR, FPSCR_FR | FPSCR_FI),
        """Vector instructions set exceptions only; FR, FI and FPRF stay as they were (ISA 2.07B
        Book I 7.4). qemu 7.2 clears FI and FR after some.""",
        when=keeps(FPSCR_FI | FPSCR_FPRF)),
    Deviation(
        "vector-elements-are-apart",
        r"xv(add|sub|mul|div|n?m(add|sub)[am])[ds]p|xvcv[ds]p([su]x[dw]s|sp)", vector_result,
        """Each element makes its own result and exceptions. qemu 7.2 takes exceptions of one
        element for those of the next: conversions after a NaN are saturated wrongly, an underflow
        beside an overflow is lost.""",
        when=arithmetic_is_right),
    Deviation(
        "conversion-of-integers", r"xvcv[su]x[dw][ds]p",
        field(guest.SLOT_FPSCR, FPSCR_OX | FPSCR_UX),
        """The same; an integer does not overflow a float.""",
        when=keeps(FPSCR_OX | FPSCR_UX)),
    Deviation(
        "maximum-of-numbers", r"x[sv]m(ax|in)[ds]p",
        field(guest.SLOT_FPSCR, FPSCR_OX | FPSCR_UX | FPSCR_ZX | FPSCR_XX | FPSCR_FX),
        """The same; the larger of two numbers is exact. Only VXSNAN is possible.""",
        when=lambda c: keeps(FPSCR_OX | FPSCR_UX | FPSCR_ZX | FPSCR_XX)(c) and fx_is_right(c)),
    Deviation(
        "estimate-of-zero", r"x[sv]r(sqrt)?e[ds]p", field(guest.SLOT_FPSCR, FPSCR_ZX),
        """An estimate of the reciprocal of zero, or of its square root, is a division by zero. qemu
        7.2 does not always set ZX.""",
        when=lambda c: c.ours.slots[guest.SLOT_FPSCR] & FPSCR_ZX and has_zero(c)),
    Deviation(
        "estimate-that-is-tiny", r"xvre[ds]p", field(guest.SLOT_FPSCR, FPSCR_UX),
        """The same for underflow.""",
        when=lambda c: c.ours.slots[guest.SLOT_FPSCR] & FPSCR_UX and has_tiny_reciprocal(c)),
    Deviation(
        "reciprocal-of-zero", r"fres?(_rc)?|xsre[ds]p", scalar_result,
        """The reciprocal of zero is infinity (ISA 2.07B Book I 4.6.6.1); qemu 7.2 gives 0.5.""",
        when=reciprocal_of_zero),
    Deviation(
        "power-of-two-estimate", r"vexptefp",
        lambda row, word: {vsr(row, word, "VRT") + i: guest.ALL_BITS for i in (0, 1)},
        """An estimate, good to 1/16 (ISA 2.07B Book I 6.10.4). qemu 7.2 computes it by a series
        that is far off for negative operands.""",
        when=powers_are_near),
    Deviation(
        "non-ieee-bit", r"mtfsb[01](_rc)?", field(guest.SLOT_FPSCR, 4),
        """FPSCR[NI] can be set and cleared like its neighbours; qemu leaves it alone here, not in
        mtfsf and mtfsfi.""",
        when=lambda c: c.row.get(c.word, "FPSCR_BT") == 29
        and bool(c.ours.slots[guest.SLOT_FPSCR] & 4) == ("1" in c.row.name)),
    Deviation(
        "compare-leaves-fi", r"fcmp[ou]|xscmp[ou]dp", field(guest.SLOT_FPSCR, FPSCR_FI),
        """A comparison sets FPCC and the exceptions, not FI (ISA 2.07B Book I 4.6.8), which qemu
        clears.""",
        when=keeps(FPSCR_FI)),
    Deviation(
        "compare-leaves-class", r"fcmpo|xscmpodp", field(guest.SLOT_FPSCR, FPSCR_C),
        """A comparison sets FPCC and leaves the first bit of FPRF alone; qemu sets it with VXVC.""",
        when=keeps(FPSCR_C)),
    Deviation(
        "signal-frame-without-drn", r"mtfs(f|fi|b1)(_rc)?|f.*|x[sv].*",
        field(guest.SLOT_FPSCR, 7 << 32),
        """At an enabled exception qemu raises SIGFPE whatever MSR[FE0,FE1] are, and its signal
        frame has only 32 bits of the FPSCR.""",
        when=enabled),
    Deviation(
        "fraction-rounded",
        r"f(n?m)?(add|sub)s?(_rc)?|f(mul|div|sqrt|re|rsqrte)s?(_rc)?|frsp(_rc)?"
        r"|fct(id|iw)u?z?(_rc)?|fcfidu?s?(_rc)?|fri[nzpm](_rc)?"
        r"|xs(add|sub|mul|div|sqrt|re|rsqrte)[ds]p|xsn?m(add|sub)[am][ds]p|xsrsp|xsrdpi[cmpz]?"
        r"|xscv(dpsp|spdp|dp[su]x[dw]s|[su]xd[ds]p)",
        field(guest.SLOT_FPSCR, FPSCR_FR),
        """FPSCR[FR] tells whether rounding incremented the fraction (ISA 2.07B Book I 4.2.2). qemu
        7.2 never changes it. difftest/fpmodel.py checks it instead."""),
    Deviation(
        "fraction-rounded-is-read", r"mffs(_rc)?",
        lambda row, word: {vsr(row, word, "FRT"): FPSCR_FR},
        """The same, where the FPSCR is read after other instructions.""",
        when=lambda c: True),
    Deviation(
        "fraction-rounded-is-copied", r"mcrfs", lambda row, word: {guest.SLOT_CR: 0x44444444},
        """The same.""",
        when=lambda c: c.row.get(c.word, "FPSCR_BFA") == 3),
    Deviation(
        "invalid-decimal-digits", r"bcd(add|sub)_rc",
        lambda row, word: {vsr(row, word, "VRT"): guest.ALL_BITS,
                           vsr(row, word, "VRT") + 1: guest.ALL_BITS, guest.SLOT_CR: 0xf0},
        """A digit above 9 or a sign below 10 makes the result undefined and CR6 0b0001 (ISA 2.07B
        Book I 6.13). When it has to subtract, qemu compares such magnitudes as if they were equal
        and does not notice.""",
        when=lambda c: has_invalid_digits(c) and c.ours.slots[guest.SLOT_CR] & 0xf0 == 0x10),
    Deviation(
        "decimal-zero", r"bcd(add|sub)_rc",
        lambda row, word: {vsr(row, word, "VRT") + 1: 0xf, guest.SLOT_CR: 0xf0},
        """A result of 0 has the sign plus and makes CR6 0b0010. For two zeros whose signs make qemu
        add them, it says "greater and equal", or "less and equal" with a minus zero.""",
        when=lambda c: both_are_decimal_zeros(c) and is_plus_zero(c)),
]


def masks(row, word):
    """Bits to compare, for the entries that hold whatever the operands are."""
    kept = {}
    for d in LIST:
        if d.when is None and d.covers(row):
            for slot, bits in d.ignore(row, word).items():
                kept[slot] = kept.get(slot, guest.ALL_BITS) & ~bits & guest.ALL_BITS
    return kept


# Bits that sequences do not compare: what the entries for all operands leave out.
SEQUENCE_MASKS = {guest.SLOT_FPSCR: guest.ALL_BITS & ~FPSCR_FR}


def in_sequences(row):
    """Whether the result of a row is compared as a whole, but for SEQUENCE_MASKS."""
    return all(not bits & SEQUENCE_MASKS.get(slot, guest.ALL_BITS)
               for d in LIST if d.when is None and d.covers(row)
               for slot, bits in d.ignore(row, row.value).items())


def excusing(context):
    """Entries that apply, with the bits they ignore."""
    return [(d, d.ignore(context.row, context.word)) for d in LIST
            if d.covers(context.row) and (d.when is None or d.when(context))]
