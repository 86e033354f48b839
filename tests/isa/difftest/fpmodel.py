# SPDX-License-Identifier: MIT
"""Floating-point arithmetic in exact integers: what it leaves in FPSCR and the target.

This is the judge where qemu is known to be wrong: FR, FX, FPRF, the rounding of negated sums, and
results with enabled exceptions. Source: Power ISA 2.07B Book I chapter 4, and 7.4 for VSX.

A finite number is a triple (negative, m, e), the value m * 2**e; an operation may add a sticky
bit: the true magnitude is a little larger than m * 2**e, by less than one unit of m.
"""
import math
import re

FX, FEX, VX, OX, UX, ZX, XX = (1 << b for b in range(31, 24, -1))
VXSNAN, VXISI, VXIDI, VXZDZ, VXIMZ, VXVC, FR, FI = (1 << b for b in range(24, 16, -1))
FPRF, VXSQRT, VXCVI = 0x1f000, 0x200, 0x100
VE, OE, UE, ZE, XE = (1 << b for b in range(7, 2, -1))
INVALID = VXSNAN | VXISI | VXIDI | VXZDZ | VXIMZ | VXVC | 0x400 | VXSQRT | VXCVI
EXCEPTIONS = OX | UX | ZX | XX | INVALID
ALL = 0xffffffffffffffff

NEAREST, ZERO, UP, DOWN = range(4)
INFINITY = 0x7ff << 52
QUIET = 1 << 51

DOUBLE = (53, -1022, 1023, 1536)  # precision, exponents, adjustment of enabled exceptions
SINGLE = (24, -126, 127, 192)


class Number:
    """A double, taken apart."""

    def __init__(self, bits):
        self.bits, self.negative = bits, bits >> 63
        exponent, fraction = bits >> 52 & 0x7ff, bits & (1 << 52) - 1
        self.nan = exponent == 0x7ff and fraction != 0
        self.signalling = self.nan and not fraction & QUIET
        self.infinite = exponent == 0x7ff and fraction == 0
        self.m = fraction | (1 << 52 if exponent else 0)
        self.e = max(exponent, 1) - 1075
        self.zero = not self.m

    @property
    def value(self):
        return self.negative, self.m, self.e


def encode(negative, m, e):
    """Double of a number that has one."""
    if not m:
        return negative << 63
    top = m.bit_length() - 1 + e
    if top < -1022:
        fraction = m << (e + 1074) if e >= -1074 else m >> (-1074 - e)
        return negative << 63 | fraction
    drop = m.bit_length() - 53
    fraction = m << -drop if drop < 0 else m >> drop
    return negative << 63 | (top + 1023) << 52 | fraction & (1 << 52) - 1


def increments(mode, negative, odd, rest, half, sticky):
    """Whether rounding adds a unit: `rest` is what was cut off, `half` half a unit."""
    if not rest and not sticky:
        return False
    if mode == NEAREST:
        return rest > half or rest == half and (sticky or odd)
    return mode == (DOWN if negative else UP)


def cut(negative, m, e, sticky, mode, unit):
    """Round to a multiple of 2**unit: (multiple, inexact, incremented)."""
    shift = unit - e
    if shift <= 0:
        return m << -shift, bool(sticky), False
    n, rest, half = m >> shift, m & (1 << shift) - 1, 1 << (shift - 1)
    up = increments(mode, negative, n & 1, rest, half, sticky)
    return n + up, bool(rest or sticky), up


class Outcome:
    """Collects what an operation does."""

    def __init__(self, fpscr, single):
        self.before, self.single = fpscr, single
        self.format = SINGLE if single else DOUBLE
        self.mode = fpscr & 3
        self.raised = 0
        self.result = None  # bits; None if not known here
        self.result_bits = ALL  # that are defined
        self.written = True
        self.kept = FR | FI | FPRF  # bits of the FPSCR that stay
        self.set = 0
        self.compared = ALL

    def invalid(self, which):
        """Returns True if the exception is enabled: the target is not written then."""
        self.raised |= which
        self.kept &= ~(FR | FI)
        if self.before & VE:
            self.written = False
            return True
        return False

    def classify(self, bits):
        x = Number(bits)
        denormal = not x.nan and not x.infinite and not x.zero and (
            x.m.bit_length() - 1 + x.e < self.format[1])
        if x.nan:
            c = 0b10001
        elif x.infinite:
            c = 0b01001 if x.negative else 0b00101
        elif x.zero:
            c = 0b10010 if x.negative else 0b00010
        elif denormal:
            c = 0b11000 if x.negative else 0b10100
        else:
            c = 0b01000 if x.negative else 0b00100
        self.kept &= ~FPRF
        self.set |= c << 12

    def exact(self, bits):
        self.kept &= ~(FR | FI)
        self.result = bits
        self.classify(bits)

    def not_a_number(self):
        """A NaN, of which one this model does not say."""
        self.kept &= ~(FR | FI | FPRF)
        self.set |= 0b10001 << 12

    def flags(self, inexact, incremented):
        self.kept &= ~(FR | FI)
        self.set |= (FI if inexact else 0) | (FR if incremented else 0)
        self.raised |= XX if inexact else 0

    def rounded(self, negative, m, e, sticky=0):
        """Round a number that is not zero and deliver it."""
        precision, least, greatest, adjustment = self.format
        top = m.bit_length() - 1 + e
        tiny = top < least
        unbounded = top - precision + 1
        n, inexact, up = cut(negative, m, e, sticky, self.mode, unbounded)
        if n.bit_length() - 1 + unbounded > greatest:
            self.raised |= OX
            if self.before & OE:
                self.flags(inexact, up)
                self.adjusted(negative, n, unbounded - adjustment)
            else:
                away = self.mode == NEAREST or self.mode == (DOWN if negative else UP)
                self.flags(True, False)
                self.compared &= ~FR  # undefined
                largest = encode(0, (1 << precision) - 1, greatest - precision + 1)
                self.result = negative << 63 | (INFINITY if away else largest)
        elif tiny and self.before & UE:
            self.raised |= UX
            self.flags(inexact, up)
            self.adjusted(negative, n, unbounded + adjustment)
        else:
            unit = max(top, least) - precision + 1
            n, inexact, up = cut(negative, m, e, sticky, self.mode, unit)
            if tiny and inexact:
                self.raised |= UX
            self.flags(inexact, up)
            self.result = encode(negative, n, unit)
        if self.result is not None:
            self.classify(self.result)

    def adjusted(self, negative, n, unit):
        """Result with adjusted exponent, unless that is out of range as well.

        Single-precision instructions with operands that are no singles can do that.
        """
        if -1022 <= n.bit_length() - 1 + unit <= 1023:
            self.result = encode(negative, n, unit)
        else:
            self.compared &= ~FPRF

    def fpscr(self):
        changing = FR | FI | FPRF
        value = self.before & ~changing | self.before & changing & self.kept | self.set
        if self.raised & ~self.before:
            value |= FX
        value |= self.raised
        value &= ~(VX | FEX)
        if value & INVALID:
            value |= VX
        if (value & VX and value & VE) or (value >> 22 & value & (OE | UE | ZE | XE)):
            value |= FEX
        return value


def any_nan(out, *operands):
    """Deal with NaN operands; True if there are any."""
    if not any(x.nan for x in operands):
        return False
    if any(x.signalling for x in operands) and out.invalid(VXSNAN):
        return True
    out.not_a_number()
    return True


def bad(out, which):
    if not out.invalid(which):
        out.not_a_number()


def add_exact(out, a, b):
    """Sum of two finite triples, or of one; zero by the rules for signs."""
    (an, am, ae), (bn, bm, be) = a, b
    if not am and not bm:
        negative = an if an == bn else out.mode == DOWN
        out.exact(int(negative) << 63)
        return
    e = min(ae, be)
    total = (am << (ae - e)) * (-1 if an else 1) + (bm << (be - e)) * (-1 if bn else 1)
    if not total:
        out.exact(int(out.mode == DOWN) << 63)
        return
    out.rounded(int(total < 0), abs(total), e)


def add(out, a, b):
    if any_nan(out, a, b):
        return
    if a.infinite and b.infinite and a.negative != b.negative:
        bad(out, VXISI)
    elif a.infinite or b.infinite:
        out.exact((a if a.infinite else b).bits)
    else:
        add_exact(out, a.value, b.value)


def negated(x):
    return Number(x.bits ^ 1 << 63)


def subtract(out, a, b):
    if any_nan(out, a, b):
        return
    add(out, a, negated(b))


def multiply(out, a, b):
    if any_nan(out, a, b):
        return
    negative = a.negative ^ b.negative
    if (a.infinite and b.zero) or (a.zero and b.infinite):
        bad(out, VXIMZ)
    elif a.infinite or b.infinite:
        out.exact(negative << 63 | INFINITY)
    elif a.zero or b.zero:
        out.exact(negative << 63)
    else:
        out.rounded(negative, a.m * b.m, a.e + b.e)


def divide(out, a, b):
    if any_nan(out, a, b):
        return
    negative = a.negative ^ b.negative
    if a.infinite and b.infinite:
        bad(out, VXIDI)
    elif a.zero and b.zero:
        bad(out, VXZDZ)
    elif a.infinite:
        out.exact(negative << 63 | INFINITY)
    elif b.zero:
        out.raised |= ZX
        out.kept &= ~(FR | FI)
        if out.before & ZE:
            out.written = False
        else:
            out.exact(negative << 63 | INFINITY)
    elif b.infinite or a.zero:
        out.exact(negative << 63)
    else:
        shift = 120
        m, rest = divmod(a.m << shift, b.m)
        out.rounded(negative, m, a.e - b.e - shift, bool(rest))


def square_root(out, b):
    if any_nan(out, b):
        return
    if b.zero:
        out.exact(b.bits)
    elif b.negative:
        bad(out, VXSQRT)
    elif b.infinite:
        out.exact(b.bits)
    else:
        shift = 120 + (b.e & 1)
        m = math.isqrt(b.m << shift)
        out.rounded(0, m, (b.e - shift) // 2, m * m != b.m << shift)


def multiply_add(out, a, c, b, subtracts, negates):
    """a * c + b, or minus b; the result is negated after it is rounded."""
    product_invalid = (a.infinite and c.zero) or (a.zero and c.infinite)
    if product_invalid:
        out.raised |= VXIMZ
    if a.nan or b.nan or c.nan or product_invalid:
        which = VXSNAN if any(x.signalling for x in (a, b, c)) else 0
        which |= VXIMZ if product_invalid else 0
        if not which or not out.invalid(which):
            out.not_a_number()
        return
    if subtracts:
        b = negated(b)
    negative = a.negative ^ c.negative
    if a.infinite or c.infinite:
        if b.infinite and b.negative != negative:
            bad(out, VXISI)
            return
        out.exact(negative << 63 | INFINITY)
    elif b.infinite:
        out.exact(b.bits)
    else:
        add_exact(out, (negative, a.m * c.m, a.e + c.e), b.value)
    if negates and out.result is not None:
        out.result ^= 1 << 63
        out.set &= ~FPRF
        out.classify(out.result)


def round_to_single(out, b):
    if any_nan(out, b):
        return
    if b.infinite or b.zero:
        out.exact(b.bits)
    else:
        out.rounded(*b.value)


def from_integer(out, bits, signed):
    value = bits - (1 << 64) if signed and bits >> 63 else bits
    if value:
        out.rounded(int(value < 0), abs(value), 0)
    else:
        out.exact(0)


def to_integer(out, b, bits, signed, mode):
    low, high = (-1 << bits - 1, (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    out.result_bits = (1 << bits) - 1
    if b.nan or b.infinite:
        value, ok = low if b.nan or b.negative else high, False
    else:
        n, inexact, up = cut(*b.value, 0, mode, 0)
        value = -n if b.negative else n
        ok = low <= value <= high
    if ok:
        out.flags(inexact, up)
    else:
        out.invalid(VXCVI | (VXSNAN if b.signalling else 0))
        out.compared &= ~FPRF  # undefined
    out.result = max(low, min(value, high)) & out.result_bits


def round_to_integer(out, b, mode, tells):
    """fri* and xsrdpi*; `tells` if XX, FR and FI are set (xsrdpic)."""
    if any_nan(out, b):
        return
    out.exact(b.bits)
    out.set = 0
    if b.infinite or b.zero:
        out.classify(b.bits)
        return
    if mode is None:  # to nearest, ties away from zero
        n = (b.m << 1 >> -b.e) + 1 >> 1 if b.e < 0 else b.m << b.e
    else:
        n, inexact, up = cut(*b.value, 0, mode, 0)
        if tells:
            out.flags(inexact, up)
    out.result = encode(b.negative, n, 0)
    out.classify(out.result)


NAMES = re.compile(
    r"(?P<family>f|xs)(?:"
    r"(?P<sum>add|sub|mul|div|sqrt)(?P<s1>s|[ds]p)?"
    r"|(?P<n>n?)m(?P<fused>add|sub)(?P<am>[am](?=[ds]p))?(?P<s2>s|[ds]p)?"
    r"|(?P<rsp>rsp)"
    r"|(?P<from>cfidu?s?|cv[su]xd[ds]p)"
    r"|(?P<to>ct(?:id|iw)u?z?|cvdp[su]x[dw]s)"
    r"|(?P<integral>ri[nzpm]|rdpi[cmpz]?))(?:_rc)?")
MODES = {"z": ZERO, "p": UP, "m": DOWN}


def model(row, word, before):
    """The Outcome of an instruction, or None if it is not modelled. `before` is a State."""
    match = NAMES.fullmatch(row.name)
    if not match:
        return None
    vsx = match["family"] == "xs"

    def operand(name):
        o = row.by_name[("X" if vsx else "FR") + name]
        return Number(before.slots[48 + 2 * o.get(word)])

    single = (match["s1"] or match["s2"] or "") in ("s", "sp") or bool(match["rsp"])
    single = single or (match["from"] or "").endswith(("s", "sp"))
    out = Outcome(before.slots[36], single)
    if match["sum"] in ("add", "sub", "div"):
        {"add": add, "sub": subtract, "div": divide}[match["sum"]](out, operand("A"), operand("B"))
    elif match["sum"] == "mul":
        multiply(out, operand("A"), operand("B" if vsx else "C"))
    elif match["sum"] == "sqrt":
        square_root(out, operand("B"))
    elif match["fused"]:
        if not vsx:
            a, c, b = (operand(n) for n in "ACB")
        elif match["am"] == "a":
            a, c, b = (operand(n) for n in "ABT")
        else:
            a, c, b = (operand(n) for n in "ATB")
        multiply_add(out, a, c, b, match["fused"] == "sub", bool(match["n"]))
    elif match["rsp"]:
        round_to_single(out, operand("B"))
    elif match["from"]:
        from_integer(out, operand("B").bits, "u" not in match["from"])
    elif match["to"]:
        name = match["to"]
        zero = vsx or name.endswith("z")
        unsigned = "ux" in name if vsx else "u" in name
        word_sized = name.endswith("ws") if vsx else "iw" in name
        to_integer(out, operand("B"), 32 if word_sized else 64, not unsigned,
                   ZERO if zero else out.mode)
    else:
        last = match["integral"][-1]
        if last == "c":
            round_to_integer(out, operand("B"), out.mode, True)
        else:
            round_to_integer(out, operand("B"), MODES.get(last), False)
    return out


VECTOR = re.compile(
    r"xv(?:"
    r"(?P<sum>add|sub|mul|div|sqrt)(?P<s1>[ds])p"
    r"|(?P<n>n?)m(?P<fused>add|sub)(?P<am>[am])(?P<s2>[ds])p"
    r"|cv(?P<from>[ds])p(?P<to>[su]x[dw]s|sp)"
    r"|r(?P<s3>[ds])pi(?P<integral>[cmpz]?))")


def single_to_double(bits):
    """Double with the value of a single; a NaN stays one."""
    exponent, fraction = bits >> 23 & 255, bits & 0x7fffff
    if exponent == 255:
        return (bits >> 31) << 63 | INFINITY | fraction << 29
    return encode(bits >> 31, fraction | (1 << 23 if exponent else 0), max(exponent, 1) - 150)


def double_to_single(bits):
    """The inverse, for doubles that are singles."""
    x = Number(bits)
    if x.infinite:
        return x.negative << 31 | 0xff << 23
    top = x.m.bit_length() - 1 + x.e
    if x.zero:
        return x.negative << 31
    if top < -126:
        return x.negative << 31 | (x.m >> (-149 - x.e) if x.e < -149 else x.m << (x.e + 149))
    return x.negative << 31 | (top + 127) << 23 | x.m >> (x.m.bit_length() - 24) & 0x7fffff


class Vector:
    """What an instruction on vectors does: the outcomes of its elements."""

    def __init__(self, row, word, before, match):
        self.row, self.word, self.match = row, word, match
        size = match["s1"] or match["s2"] or match["s3"] or match["from"]
        self.to = match["to"] or size + "p"
        # Elements are doublewords, unless all is in words; else a word is the upper half of one.
        self.words = size == "s" and self.to in ("sp", "sxws", "uxws")
        self.upper = not self.words and self.to in ("sp", "sxws", "uxws")
        self.single = self.to == "sp"
        self.outcomes = []
        operands = [self.numbers(name, before, size) for name in ("XA", "XB", "XT")
                    if name in row.by_name]
        for numbers in zip(*operands):
            out = Outcome(before.slots[36], self.single)
            self.element(out, *numbers[:-1], target=numbers[-1])
            self.outcomes.append(out)

    def numbers(self, name, state, size):
        halves = self.halves(name, state)
        if size == "d":
            return [Number(h) for h in halves]
        if self.words:
            return [Number(single_to_double(h >> shift & 0xffffffff))
                    for h in halves for shift in (32, 0)]
        return [Number(single_to_double(h >> 32)) for h in halves]

    def halves(self, name, state):
        slot = 48 + 2 * self.row.by_name[name].get(self.word)
        return state.slots[slot:slot + 2]

    def element(self, out, *operands, target):
        match = self.match
        a, b = operands[0], operands[-1]
        if match["sum"] == "sqrt":
            square_root(out, b)
        elif match["sum"]:
            {"add": add, "sub": subtract, "mul": multiply, "div": divide}[match["sum"]](out, a, b)
        elif match["fused"]:
            c, b = (b, target) if match["am"] == "a" else (target, b)
            multiply_add(out, a, c, b, match["fused"] == "sub", bool(match["n"]))
        elif match["to"] == "sp":
            round_to_single(out, b)
        elif match["to"]:
            to_integer(out, b, 32 if match["to"][2] == "w" else 64, match["to"][0] == "s", ZERO)
        else:
            integral = match["integral"]
            mode = out.mode if integral == "c" else MODES.get(integral)
            round_to_integer(out, b, mode, integral == "c")

    def fpscr(self, before):
        """Only the exceptions count; FR, FI and FPRF stay as they were."""
        out = Outcome(before, False)
        for o in self.outcomes:
            out.raised |= o.raised
        return out.fpscr()

    def wrong(self, before, after):
        enables = before.slots[36] & (VE | OE | UE | ZE | XE)
        raised = 0
        for o in self.outcomes:
            raised |= o.raised
        got = self.halves("XT", after)
        stays = (raised & INVALID and enables & VE) or raised >> 22 & enables & (OE | UE | ZE | XE)
        if stays:
            return got != self.halves("XT", before)
        elements = [h >> shift & 0xffffffff for h in got for shift in (32, 0)] if self.words else (
            [h >> 32 for h in got] if self.upper else got)
        for o, value in zip(self.outcomes, elements):
            if o.result is None:
                continue
            expected = double_to_single(o.result) if self.single else o.result
            if value != expected:
                return True
        return False


def modelled(row):
    """Whether check() knows an instruction."""
    return bool(NAMES.fullmatch(row.name) or VECTOR.fullmatch(row.name))


def check(row, word, before, after, ignore=0):
    """What is wrong with the state after a modelled instruction: a list of texts.

    None if it is not modelled. Bits of the FPSCR in `ignore` are not looked at.
    """
    match = VECTOR.fullmatch(row.name)
    if match:
        vector = Vector(row, word, before, match)
        fpscr = vector.fpscr(before.slots[36])
        wrong = ["target is not right"] if vector.wrong(before, after) else []
        if (after.slots[36] ^ fpscr) & ~ignore:
            wrong.append(f"FPSCR is {after.slots[36]:016x}, should be {fpscr:016x}")
        return wrong
    out = model(row, word, before)
    if out is None:
        return None
    o = row.by_name["XT" if "XT" in row.by_name else "FRT"]
    slot = 48 + 2 * o.get(word)
    wrong = []
    if not out.written:
        if after.slots[slot] != before.slots[slot]:
            wrong.append(f"target was to be left alone, is {after.slots[slot]:016x}")
    elif out.result is not None and (after.slots[slot] ^ out.result) & out.result_bits:
        wrong.append(f"target is {after.slots[slot]:016x}, should be {out.result:016x}")
    fpscr = out.fpscr()
    if (after.slots[36] ^ fpscr) & out.compared & ~ignore:
        wrong.append(f"FPSCR is {after.slots[36]:016x}, should be {fpscr:016x}")
    if "rc" in row.flags:
        cr1 = after.slots[32] >> 24 & 15
        if cr1 != after.slots[36] >> 28 & 15:
            wrong.append(f"CR1 is {cr1:#x}, FPSCR is {after.slots[36]:016x}")
    return wrong
