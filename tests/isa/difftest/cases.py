# SPDX-License-Identifier: MIT
"""Makes cases: single instructions, branches, traps, and short sequences."""
import random

from . import guest, insns

XER, LR, CTR, VRSAVE, TAR = SPRS = [1, 8, 9, 256, 815]
SETS = 64  # operand sets that share the words of a case

_ADDI = 14 << 26


def addi(register, value):
    return _ADDI | register << 21 | register << 16 | value & 0xffff


def seeded(*parts):
    """A generator of its own for each purpose: one case does not depend on those before."""
    return random.Random(":".join(map(str, parts)))


def constrain(row, word, rng):
    """Turn a word with random operands into one that is defined."""
    if "update" in row.flags:
        ra = row.get(word, "RA")
        while ra == 0 or "RT" in row.by_name and ra == row.get(word, "RT"):
            ra = rng.randrange(1, 32)
        word = row.put(word, "RA", ra)
    word = constrain_fields(row, word, rng)
    if "RTp" in row.by_name:  # the pair must not hold an address register
        pair = row.get(word, "RTp")
        for name in ("RA0", "RB"):
            while name in row.by_name and row.get(word, name) & 30 == pair:
                word = row.put(word, name, rng.randrange(1, 32))
    if row.memory and row.displacement and "RA0" in row.by_name:
        while row.get(word, "RA0") == 0 or \
                "RTp" in row.by_name and row.get(word, "RA0") & 30 == row.get(word, "RTp"):
            word = row.put(word, "RA0", rng.randrange(1, 32))
    return word


def displacement(row, word):
    o = row.displacement
    value = o.get(word)
    value -= (value >> (o.width - 1)) << o.width
    return value << o.shift


def address_fixups(row, word):
    """Make the address operands of a memory instruction point into memory."""
    align = 0
    if row.bytes:
        align = row.bytes.bit_length() - 1
    else:
        align = 3 << 4
        if row.flags & {"vec", "vsx"}:
            align = 4 << 4
    ra = row.get(word, "RA0" if "RA0" in row.by_name else "RA")
    if row.displacement:
        return [(guest.FIXUP_ADDRESS, ra, 0, align, displacement(row, word))]
    rb = row.get(word, "RB")
    if ra == 0 and "RA0" in row.by_name:
        return [(guest.FIXUP_ADDRESS, rb, 0, align, 0)]
    return [(guest.FIXUP_SUM, ra, rb, align, 0)]


def single(row, rng, sets, masks):
    """One instruction with random operands."""
    while True:
        word = constrain(row, row.random(rng), rng)
        holder_b = bool(rng.randrange(2))
        written = row.written_gprs(word)
        if guest.HOLDERS[holder_b] in written:
            holder_b = not holder_b
        if guest.HOLDERS[holder_b] not in written:
            break
    fixups = address_fixups(row, word) if row.memory else []
    if row.name == "mtspr" and row.get(word, "SPR") == XER:  # the other bits are reserved
        fixups.append((guest.FIXUP_XER, row.get(word, "RS"), 0, 0, 0))
    wanted = insns.profiles(row)
    profile = wanted[0] if rng.random() < .7 else rng.choice(wanted)
    return guest.Case([word], rng.getrandbits(63), sets, [row], profile=profile, memory=row.memory,
                      holder_b=holder_b, fixups=fixups, masks=masks(row, word))


def branch(row, rng, sets):
    """A branch among additions that tell which way it went."""
    name = row.name
    at, target = rng.choice([(1, 4), (4, 1), (0, 7), (2, 3)])
    words = [addi(16 + i, 1 << i) for i in range(8)]
    rows = [None] * 8
    fixups = []
    if target < at: # land behind the beginning, and leave before the branch is met again
        words[0] = 18 << 26 | 4 * at
        words[at - 1] = 18 << 26 | 4 * (len(words) - at + 1)
    word = row.random(rng)
    if "BO" in row.by_name:
        bo = row.get(word, "BO")
        if name.startswith("bcctr"):
            bo |= 4  # CTR cannot be target and counter
        word = row.put(word, "BO", bo)
        if not bo & 4 and rng.randrange(2):
            fixups.append((guest.FIXUP_SMALL, guest.SLOT_CTR, 1, 0, rng.choice((0, 1))))
    if name in ("b", "bl"):
        word = row.put(word, "LI", target - at)
    elif name in ("ba", "bla"):
        word = row.put(word, "LIA", 0)
        fixups.append((guest.FIXUP_RELOCATE, at, 0, 0, target))
    elif name in ("bc", "bcl"):
        word = row.put(word, "BD", target - at)
    else:
        slot = {"bclr": guest.SLOT_LR, "bcct": guest.SLOT_CTR, "bcta": guest.SLOT_TAR}[name[:4]]
        fixups.append((guest.FIXUP_CODE, slot, 0, 1, target))
    words[at], rows[at] = word, row
    return guest.Case(words, rng.getrandbits(63), sets, rows, fixups=fixups)


def loop(row, rng, sets):
    """A counted loop: bc backwards, decrementing CTR."""
    words = [addi(16, 1), addi(17, 3), 0, addi(18, 1)]
    word = row.put(row.random(rng), "BD", -2)
    word = row.put(word, "BO", row.get(word, "BO") & ~4)
    words[2] = word
    fixups = [(guest.FIXUP_SMALL, guest.SLOT_CTR, rng.choice((1, 4)), 0, 1)]
    return guest.Case(words, rng.getrandbits(63), sets, [None, None, row, None], fixups=fixups)


def trap(row, rng):
    """A trap whose condition does not hold: nothing happens. The others are in tests/isa/asm."""
    values = [0, 1, -1, 0x7fff, -0x8000, 0x7fffffff, -0x80000000, rng.randrange(-1 << 31, 1 << 31)]
    immediate = "SI" in row.by_name
    a = rng.choice(values)
    b = rng.choice(values[:5] if immediate else values)
    bits = 32 if row.name.startswith("tw") else 64
    ua, ub = a % (1 << bits), b % (1 << bits)
    held = 16 * (a < b) | 8 * (a > b) | 4 * (a == b) | 2 * (ua < ub) | 1 * (ua > ub)
    word = row.random(rng)
    field = "TO_SI" if immediate else "TO"
    word = row.put(word, field, row.get(word, field) & ~held)
    ra, rb = rng.sample([r for r in range(32) if r not in guest.HOLDERS], 2)
    word = row.put(word, "RA", ra)
    fixups = [(guest.FIXUP_SET, ra, 0, 0, a)]
    if immediate:
        word = row.put(word, "SI", b)
    else:
        word = row.put(word, "RB", rb)
        fixups.append((guest.FIXUP_SET, rb, 0, 0, b))
    return guest.Case([word], rng.getrandbits(63), 1, [row], fixups=fixups)


def for_row(row, seed, sets, masks):
    """All cases of a row: at least `sets` operand sets."""
    rng = seeded(seed, row.name)
    if row.name in insns.TRAPS:
        return [trap(row, rng) for _ in range(sets)]
    if row.name in insns.BRANCHES:
        some = [branch(row, rng, 16) for _ in range(max(sets // 16, 8))]
        if row.name in ("bc", "bcl"):
            some += [loop(row, rng, 16) for _ in range(max(sets // 64, 4))]
        return some
    per_case = min(SETS, max(sets // 8, 1))
    return [single(row, rng, per_case, masks) for _ in range(-(-sets // per_case))]


class Sequences:
    """Random short sequences. Registers come from a small pool, so that results are used."""

    THEMES = {
        "fixed": lambda r: not r.flags & {"fp", "vec", "vsx", "fp-or-vec"},
        "fp": lambda r: "fp" in r.flags,
        "vector": lambda r: bool(r.flags & {"vec"}),
        "vsx": lambda r: bool(r.flags & {"vsx", "fp-or-vec"}),
    }

    def __init__(self, rows, seed, masks):
        self.seed, self.masks = seed, masks
        self.all = [r for r in rows if r.name not in insns.BRANCHES | insns.TRAPS | insns.ATOMICS]
        self.themes = [t for t in ([r for r in self.all if wanted(r)]
                                   for wanted in self.THEMES.values()) if t]
        by_name = {r.name: r for r in rows}
        self.branches = [by_name[n] for n in ("bc", "bc", "bc", "b", "bcl", "bl") if n in by_name]
        # Not lqarx: qemu 7.2 makes no reservation for it. See tests/isa/asm/reservation.S.
        self.pairs = [(by_name[a], by_name[b]) for a, b in (
            ("lbarx", "stbcx_rc"), ("lharx", "sthcx_rc"), ("lwarx", "stwcx_rc"),
            ("ldarx", "stdcx_rc")) if a in by_name and b in by_name]

    def make(self, number, sets):
        rng = seeded(self.seed, "sequence", number)
        holder_b = bool(rng.randrange(2))
        holder = guest.HOLDERS[holder_b]
        free = [r for r in range(1, 32) if r != holder]
        # A points to an aligned quadword, U anywhere, I is a small number; they are not written,
        # except U by update forms. The pool has an even-odd pair.
        aligned, unaligned, index = picked = rng.sample(free, 3)
        free = [r for r in range(32) if r != holder and r not in picked]
        pool = rng.sample(free, 4)
        pairs = [r for r in free if r and not r & 1 and r + 1 in free]
        words, rows = [], []
        theme = rng.choice(self.themes)
        registers = {
            "gpr": pool, "gpr0": pool, "pair": [rng.choice(pairs)],
            "fpr": rng.sample(range(32), 3), "vr": rng.sample(range(32), 3)}
        registers["vsr"] = registers["fpr"] + [32 + r for r in registers["vr"]]
        if self.pairs and rng.random() < .05:
            chosen = [*rng.choice(self.pairs)]
            if rng.randrange(2):
                between = rng.choice(self.all)
                # A store to the line, or a SIGFPE of qemu's, may end the reservation.
                if "store" not in between.flags and not between.name.startswith("mt"):
                    chosen.insert(1, between)
        else:
            chosen = [rng.choice(theme if rng.random() < .8 else self.all)
                      for _ in range(rng.randrange(2, 9))]
        # In qemu the FPSCR that others see after a vector comparison may be stale, so those come
        # last (its helpers for them are declared not to touch it).
        chosen.sort(key=lambda r: r.name.startswith("xvcmp"))
        if self.branches and rng.random() < .4:
            for _ in range(rng.randrange(1, 3)):
                chosen.insert(rng.randrange(len(chosen) + 1), rng.choice(self.branches))
        for i, row in enumerate(chosen):
            if row in self.branches:
                word = self.skip(row, rng, len(chosen) - i, rows[-1:], words[-1:])
            else:
                word = self.word(row, rng, registers, aligned, unaligned, index)
            words.append(word)
            rows.append(row)
        fixups = [(guest.FIXUP_MEMORY, aligned, 0, 0, 256),
                  (guest.FIXUP_MEMORY, unaligned, 0, 0, rng.randrange(192, 320)),
                  (guest.FIXUP_SMALL, index, rng.choice((3, 6)), 0, 0)]
        profile = rng.choice(insns.profiles(rng.choice(rows)))
        return guest.Case(words, rng.getrandbits(63), sets, rows, profile=profile, fixups=fixups,
                          memory=any(r.memory for r in rows), holder_b=holder_b,
                          masks=self.masks)

    @staticmethod
    def skip(row, rng, left, rows, words):
        """A branch to one of the words that are left, or behind them.

        It mostly looks at what the instruction before it compared.
        """
        word = row.put(row.random(rng), row.operands[-1].name, rng.randrange(1, left + 1))
        if "BI" in row.by_name and rng.random() < .8:
            word = row.put(word, "BO", rng.choice((4, 12)))
            field = 0
            if rows and "BF" in rows[0].by_name:
                field = rows[0].get(words[0], "BF")
            word = row.put(word, "BI", 4 * field + rng.randrange(4))
        return word

    def word(self, row, rng, registers, aligned, unaligned, index):
        word = row.random(rng)
        for o in row.operands:
            if o.name in ("RTp", "RSp"):
                word = o.put(word, registers["pair"][0])
            elif o.kind in ("gpr", "gpr0") or o.kind in registers and rng.random() < .8:
                word = o.put(word, rng.choice(registers[o.kind]))
        word = constrain_fields(row, word, rng)
        # No enabled exceptions: what follows would run after SIGFPE in qemu. That is done by
        # single instructions, and against exact arithmetic.
        if row.name.startswith("mtfsf"):
            # FLM, and not all of the register (L); BF
            word &= ~(3 << 17 | 1 << 25) if "FLM" in row.by_name else ~(6 << 23)
        if row.name.startswith("mtfsb1") and 24 <= row.get(word, "FPSCR_BT") <= 28:
            word = row.put(word, "FPSCR_BT", 10)
        if row.name == "mtspr" and row.get(word, "SPR") == XER:  # would need clean bits in RS
            word = row.put(word, "SPR", CTR)
        if not row.memory:
            return word
        base = "RA0" if "RA0" in row.by_name else "RA"
        if row.displacement:
            o = row.displacement
            word = row.put(word, base, aligned if row.bytes else unaligned)
            small = rng.randrange(-16, 17) if "update" in row.flags else rng.randrange(-64, 65)
            if row.bytes:
                small &= -row.bytes
            return o.put(word, small >> o.shift)
        if row.bytes:
            return row.put(row.put(word, base, 0), "RB", aligned)
        return row.put(row.put(word, base, unaligned), "RB", index)


def constrain_fields(row, word, rng):
    """The part of constrain() that has nothing to do with addresses."""
    for o in row.operands:
        if o.name.endswith("p") and o.kind in ("gpr", "fpr"):  # an even-odd pair
            word = o.put(word, o.get(word) & 30)
    if row.name in ("mtocrf", "mfocrf"):
        word = row.put(word, "FXM", 1 << rng.randrange(8))
    if row.name in ("mfspr", "mtspr"):
        word = row.put(word, "SPR", rng.choice(SPRS))
    if row.name in ("dst", "dstst") and not row.get(word, "RA0"):  # is illegal for qemu
        word = row.put(word, "RA0", rng.randrange(1, 32))
    if row.name == "dcbf":  # L = 3, dcbflp, is illegal for qemu
        word = row.put(word, "L2", rng.randrange(2))
    return word
