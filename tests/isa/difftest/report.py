# SPDX-License-Identifier: MIT
"""Words on paper about differences."""
import collections
import os
import struct
import subprocess
import tempfile

from . import guest


def disassemble(words):
    """One line of text for each word, by objdump."""
    with tempfile.NamedTemporaryFile(suffix=".bin", delete=False) as file:
        file.write(struct.pack(f"<{len(words)}I", *words))
    text = subprocess.run(
        ["powerpc64le-linux-gnu-objdump", "-D", "-z", "-b", "binary", "-m", "powerpc:common64",
         "-EL", "-M", "power8", file.name], check=True, stdout=subprocess.PIPE, text=True).stdout
    os.unlink(file.name)
    lines = [line.split("\t") for line in text.splitlines() if line.count("\t") >= 2]
    return [" ".join(line[2:]) for line in lines]


def inputs(row, word, before):
    """The values of the operands, slot by slot."""
    slots = []
    for o in row.operands:
        n = o.get(word)
        if o.kind in ("gpr", "gpr0"):
            slots.append(n)
        elif o.kind in ("fpr", "vr", "vsr"):
            n += 32 * (o.kind == "vr")
            slots += [guest.SLOT_VSR + 2 * n, guest.SLOT_VSR + 2 * n + 1]
    slots = list(dict.fromkeys(slots))
    slots += [guest.SLOT_CR, guest.SLOT_XER, guest.SLOT_FPSCR, guest.SLOT_VSCR]
    if row.flags & {"ends-block"} or row.name in ("mtspr", "mfspr"):
        slots += [guest.SLOT_LR, guest.SLOT_CTR, guest.SLOT_TAR]
    return [(guest.slot_name(s), before.slots[s]) for s in slots]


def describe_words(case, position, number):
    """Lines about the instructions of a case."""
    yield f"  seed {case.seed:#x} set {number} profile {case.profile} enables {case.enables:#x}"
    for i, (word, line) in enumerate(zip(case.words, disassemble(case.words))):
        yield f"    {'>' if i == position else ' '} {word:08x}  {line}"


def describe_inputs(case, position, before):
    """The same, with the operands of the one at the position."""
    yield from describe_words(case, position, case.first)
    for name, value in inputs(case.rows[position], case.words[position], before):
        yield f"    in  {name:14} {value:016x}"


def describe(difference, names):
    """Lines about one difference: `names` are those of the two emulators."""
    d = difference
    yield from describe_words(d.case, d.position, d.set)
    if d.died:
        for name, why in zip(names, d.died):
            yield f"    {name}: {why}"
        return
    for name, value in inputs(d.row, d.case.words[d.position], d.before):
        yield f"    in  {name:14} {value:016x}"
    for slot in d.slots:
        yield (f"    out {guest.slot_name(slot):14} {d.ours.slots[slot]:016x} {names[0]}, "
               f"{d.theirs.slots[slot]:016x} {names[1]}")
    if d.memory:
        for at in range(0, guest.MEMORY_BYTES, 8):
            ours, theirs, was = (s.memory[at:at + 8] for s in (d.ours, d.theirs, d.before))
            if ours != theirs:
                yield (f"    memory +{at:<3} was {was.hex()}: {ours.hex()} {names[0]}, "
                       f"{theirs.hex()} {names[1]}")


def summary(differences, names, examples):
    """Differences by instruction, with some examples of each."""
    rows = collections.defaultdict(list)
    for d in differences:
        rows[d.row.name if d.row else "?"].append(d)
    for name, found in rows.items():
        yield f"{name}: {len(found)} operand sets differ"
        for d in found[:examples]:
            yield from describe(d, names)
