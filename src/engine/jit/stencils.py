#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make stencils (stencil.h) from the assembly text of a stencil_*.c file.

usage: stencils.py [--wide] INPUT.s OUTPUT.s

Every function st_NAME becomes data: the code of its usual path (hot), the rest (cold), and a
table of marks, stencil_NAME. With --wide only those whose immediate has 64 bits, as
stencil_NAME__wide. What cannot be copied is left out, with a note on standard error: the
interpreter executes it.
"""
import re
import sys

OPERANDS = ["T", "A", "B", "C", "T2", "A2", "B2", "C2"]
HOLES = {name: 0x1F100000 + 0x100000 * i for i, name in enumerate(OPERANDS)}
HOLES |= {"I": 0x1F900000, "I2": 0x1FA00000, "ADDRESS": 0x1FB00000, "ADDRESS2": 0x1FC00000}
PINS = r"%(?:r1[345][dwb]?|r[89][dwb]?|r11[dwb]?|[re]?di|dil|[re]?si|sil)\b"
KINDS = ["SLOT", "NUMBER", "BYTE", "REL", "NEXT", "TAKEN", "JUMP", "LEAVE", "LEAVE2", "LOCAL", "FAULT"]
KIND = {name: i for i, name in enumerate(KINDS)}
COLD = 0x8000
TO_LEAVE, TO_LEAVE2 = 0x7FFF, 0x7FFE
READ, WRITE, REPLACE = 1, 2, 4
FIXED, IN_MEMORY, FALLS = 1, 2, 4
NEGATED = {"e": "ne", "l": "ge", "le": "g", "b": "ae", "be": "a", "s": "ns", "o": "no", "p": "np"}
NEGATED |= {b: a for a, b in NEGATED.items()}

# Instructions with a general register where these have memory. The last letter is the width.
COMPUTE = "add sub and or xor adc sbb inc dec neg not shl shr sar rol ror".split()
LOOK = "cmp test imul mul div idiv lzcnt tzcnt popcnt andn bzhi shlx shrx sarx rorx mulx".split()


class Unusable(Exception):
    """A function that cannot become a stencil."""


def split_operands(text):
    """Operands of an instruction, in AT&T order."""
    parts, depth, current = [], 0, ""
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            parts.append(current.strip())
            current = ""
        else:
            current += c
    return parts + [current.strip()] if current.strip() else parts


class Line:
    """An instruction, or a label."""

    def __init__(self, text, fault=None):
        self.text = text
        self.label = text[:-1] if text.endswith(":") else None
        words = text.split(None, 1)
        self.mnemonic = "" if self.label else words[0]
        rest = words[1] if len(words) > 1 else ""
        if self.mnemonic == "lock":
            self.mnemonic = "lock " + rest.split(None, 1)[0]
            rest = rest.split(None, 1)[1]
        self.operands = [] if self.label else split_operands(rest)
        self.fault = fault  # label where it goes on if the access faults

    @property
    def is_jump(self):
        return self.mnemonic.startswith("j")

    @property
    def target(self):
        return self.operands[0] if self.is_jump else None


def read_functions(lines):
    """Yield (name, [Line]) for st_ functions, and (None, text) for everything else."""
    name, body, pending = None, [], None
    for raw in lines:
        text = raw.split("# ")[0].strip() if "# FAULT" not in raw else raw.strip()
        if name is None:
            match = re.match(r"st_(\w+):", raw)
            if match:
                name, body = match.group(1), []
            elif not re.match(r"\s*\.(globl|type|size|p2align|hidden)\b.*\bst_", raw):
                yield None, raw
            continue
        if re.match(r"\.Lfunc_end\d+:", raw):
            yield name, body
            name = None
            continue
        if text.startswith("# FAULT"):
            body[-1].fault = text.split()[2]
            continue
        text = re.sub(r"^\d+:\s*", "", text)
        if not text or text.startswith("#") or (text.startswith(".") and not text.endswith(":")):
            continue
        body.append(Line(text))


def forget_addresses(body):
    """Undo `lea HOLE(%r12), %r` whose register is only an address later."""
    for line in list(body):
        if line.mnemonic != "leaq" or not re.match(r"HOLE_\w+(\+\d+)?\(%r12\)$", line.operands[0]):
            continue
        family = re.escape(line.operands[1])
        later = body[body.index(line) + 1:]
        users = [l for l in later if re.search(family + r"\b", l.text)]
        if users and all(len(re.findall(family + r"\b", l.text)) == 1 and
                         f"({line.operands[1]})" in l.operands for l in users):
            for user in users:
                user.__init__(user.text.replace(f"({line.operands[1]})", line.operands[0]),
                              user.fault)
            body.remove(line)


def simplify(body):
    """Small things that the compiler cannot see across its inline assembly."""
    for before, line in zip(list(body), list(body)[1:]):
        # A load into a whole register that is extended once more.
        if before.fault and line.mnemonic in ("movl", "movzbl", "movzwl", "movsbl", "movswl"):
            loaded = before.operands[-1]
            if line.operands == [loaded, loaded] or \
                    (line.mnemonic == before.mnemonic and line.operands[1] == loaded and
                     line.operands[0] in (narrow(loaded, "b"), narrow(loaded, "w"))):
                body.remove(line)
    # The code model has no negative distances from a symbol.
    for line in list(body):
        constant = re.match(r"\$-(\d+)$", line.operands[0]) if line.mnemonic == "movq" else None
        if constant and line.operands[1].startswith("%"):
            register = re.escape(line.operands[1])
            users = [l for l in body[body.index(line) + 1:] if re.search(register + r"\b", l.text)]
            if len(users) == 1 and re.search(r"HOLE_\w+\(%r12," + register + r"\)", users[0].text):
                text = re.sub(r"(HOLE_\w+)\(%r12," + register + r"\)",
                              rf"\1-{constant.group(1)}(%r12)", users[0].text)
                users[0].__init__(text, users[0].fault)
                body.remove(line)


def narrow(register, width):
    """The low byte or word of a 32-bit register: %eax, b -> %al."""
    name = register[2:] if register.startswith("%e") else None
    if name is None:
        return register.rstrip("d") + width
    if width == "w":
        return "%" + name
    return "%" + (name[0] + "l" if name.endswith("x") else name + "l")


def parts_of(body):
    """The usual path ends with the first jump out of the function."""
    for i, line in enumerate(body):
        if line.mnemonic == "jmp" and line.target.startswith("stencil_"):
            hot, cold = body[:i + 1], body[i + 1:]
            break
    else:
        raise Unusable("does not end")
    # jCC next; jmp taken -> jNCC taken; jmp next
    if len(hot) > 1 and hot[-1].target in ("stencil_taken", "stencil_jump") and \
            hot[-2].is_jump and hot[-2].target == "stencil_next" and hot[-2].mnemonic[1:] in NEGATED:
        target = hot[-1].target
        hot[-2:] = [Line(f"j{NEGATED[hot[-2].mnemonic[1:]]} {target}"), Line("jmp stencil_next")]
    return hot, cold


def slot_flags(line, index):
    """What an instruction does with the register in its operand of that index."""
    base, width = line.mnemonic[:-1], line.mnemonic[-1]
    last = index == len(line.operands) - 1
    if line.mnemonic.startswith("v") or any("xmm" in o or "ymm" in o for o in line.operands):
        return READ | WRITE
    if line.mnemonic.startswith("set"):
        return WRITE
    if line.mnemonic.startswith("cmov") or re.match(r"mov[sz][bwl]", line.mnemonic):
        return READ | REPLACE
    if base == "mov":
        if not last:
            return READ | REPLACE
        return WRITE | (REPLACE if width == "q" else 0)
    if base in ("cmp", "test") or (base in LOOK and (not last or len(line.operands) == 1)):
        return READ | REPLACE
    if base in COMPUTE:
        if not last:
            return READ | REPLACE
        return READ | WRITE | (REPLACE if width == "q" else 0)
    return READ | WRITE


def classify(line):
    """Marks of an instruction (without offsets), and whether operands must be in memory."""
    marks, in_memory = [], False
    if line.is_jump:
        out = {"stencil_next": "NEXT", "stencil_taken": "TAKEN", "stencil_jump": "JUMP",
               "stencil_leave": "LEAVE", "stencil_leave2": "LEAVE2"}
        if line.target in out:
            marks.append((out[line.target], None, 0, 0))
        elif not line.target.startswith(".LBB"):
            raise Unusable("jumps to " + line.target)
        return marks, False
    if line.mnemonic.startswith("call"):
        if not re.match(r"[A-Za-z_]\w*(@PLT)?$", line.operands[0]):
            raise Unusable("calls " + line.operands[0])
        return [("REL", None, 0, 0)], True
    numbers = False
    count = re.match(r"\$HOLE_([TABC]2?)$", line.operands[0]) if line.operands else None
    if count and line.mnemonic in ("rolq", "roll"):
        return [("BYTE", None, OPERANDS.index(count.group(1)), 0)], False
    for i, operand in enumerate(line.operands):
        slot = re.match(r"HOLE_([TABC]2?)([-+]\d+)?\(%r12\)$", operand)
        if slot and not line.mnemonic.startswith("lea"):
            # The second of two registers in a row.
            in_memory |= bool(slot.group(2)) and int(slot.group(2)) > 0 and \
                int(slot.group(2)) % 8 == 0
            marks.append(("SLOT", None, OPERANDS.index(slot.group(1)), slot_flags(line, i)))
            continue
        numbers |= "HOLE_" in operand
        fixed = re.match(r"(-?\d+)?\(%r12\)$", operand)
        if fixed:
            if int(fixed.group(1) or 0) < 264:
                raise Unusable("uses a fixed general register")
        elif "%r12" in operand:
            in_memory = True
        if "(%rip)" in operand:
            marks.append(("REL", None, 0, 0))
        elif re.search(r"(^|\$)(?!HOLE)[A-Za-z_.]\w*", operand.replace("%", "%0")) and \
                not operand.startswith("%"):
            raise Unusable("absolute address " + operand)
    if numbers:
        marks.append(("NUMBER", None, 0, 0))
    return marks, in_memory


def emit(name, body, out):
    """Write the data of one stencil."""
    forget_addresses(body)
    simplify(body)
    hot, cold = parts_of(body)
    flags = 0
    where = {l.label: part for part, lines in (("hot", hot), ("cold", cold))
             for l in lines if l.label}
    leaves = {}
    for lines in (hot, cold):
        for i, l in enumerate(lines):
            if l.label:
                follow = next((f for f in lines[i + 1:] if not f.label), None)
                if follow is not None and follow.text in ("jmp stencil_leave", "jmp\tstencil_leave"):
                    leaves[l.label] = TO_LEAVE
                elif follow is not None and re.match(r"jmp\s+stencil_leave2", follow.text):
                    leaves[l.label] = TO_LEAVE2
    if hot[-1].mnemonic == "jmp" and hot[-1].target == "stencil_next":
        flags |= FALLS
    for line in hot + cold:
        if not line.label and re.search(PINS + r"|%[re]?sp\b|push|pop", line.text):
            flags |= IN_MEMORY
    table, text, k = [], [], 0
    for part, lines in (("hot", hot), ("cold", cold)):
        text.append(f'\t.section .rodata.stencil.{part},"a",@progbits')
        text.append(f".L{part}_{name}:")
        for line in lines:
            if line.label:
                text.append(f".L{name}_{line.label[4:]}:")
                continue
            marks, in_memory = classify(line)
            flags |= IN_MEMORY if in_memory else 0
            source = line.text
            if line.is_jump and line.target.startswith(".LBB"):
                label = f".L{name}_{line.target[4:]}"
                source = f"{line.mnemonic} {label}"
                if where[line.target] != part:
                    marks.append(("LOCAL", line.target, 0, 0))
                if where[line.target] == "hot":
                    flags |= FIXED
            elif line.is_jump:
                # In another section, so that the distance has four bytes.
                source = f"{line.mnemonic} .Lnowhere"
            if line.fault:
                marks.append(("FAULT", line.fault, 0, 0))
                if line.fault not in leaves and where[line.fault] == "hot":
                    flags |= FIXED
            match = re.match(r"movabsq\s+\$HOLE_(\w+)", source)
            if match:
                value = HOLES[match.group(1)]
                source = source.replace("$HOLE_" + match.group(1), "$0x%x" % (value << 32 | value))
                if not marks:
                    marks.append(("NUMBER", None, 0, 0))
            if any(m[0] == "BYTE" for m in marks):
                # Not 1, which has an encoding of its own.
                source = re.sub(r"\$HOLE_\w+", "$31", source)
            if not marks:
                text.append("\t" + source)
                continue
            begin, end = f".Lm_{name}_{k}", f".Le_{name}_{k}"
            k += 1
            text += [begin + ":", "\t" + source, end + ":"]
            # Marks of one instruction stand together, its access to a register last.
            for kind, target, operand, mark_flags in sorted(marks, key=lambda m: -KIND[m[0]]):
                at = f"{begin}-.L{part}_{name}" + ("+0x8000" if part == "cold" else "")
                if target is None:
                    to = "0"
                elif kind == "FAULT" and target in leaves:
                    to = str(leaves[target])
                else:
                    other = where[target]
                    to = f".L{name}_{target[4:]}-.L{other}_{name}" + \
                        ("+0x8000" if other == "cold" else "")
                table.append(f"\t.short {at}\n\t.byte {end}-{begin}, {KIND[kind]}\n"
                             f"\t.short {to}\n\t.byte {operand}, {mark_flags}")
        text.append(f".L{part}end_{name}:")
    out += text
    out += ['\t.section .rodata.stencils,"a",@progbits', "\t.p2align 2",
            f"\t.globl stencil_{name}", f"\t.hidden stencil_{name}", f"stencil_{name}:",
            f"\t.long .Lhot_{name}-.", f"\t.long .Lcold_{name}-.",
            f"\t.short .Lhotend_{name}-.Lhot_{name}, .Lcoldend_{name}-.Lcold_{name}",
            f"\t.short {len(table)}, {flags}"] + table


def main():
    wide = sys.argv[1] == "--wide"
    source, target = sys.argv[-2:]
    out = [f"\t.set HOLE_{name}, 0x{value:x}" for name, value in HOLES.items()]
    with open(source, encoding="ascii") as file:
        functions = list(read_functions(file.read().splitlines()))
    out += ['\t.section .rodata.stencils,"a",@progbits', ".Lnowhere:"]
    kept = []
    for name, body in functions:
        if name is None:
            kept.append(body)
            continue
        uses_wide = any(re.match(r"movabsq\s+\$HOLE_I\b", l.text) for l in body)
        if wide and not uses_wide:
            continue
        try:
            part = []
            emit(name + "__wide" if wide else name, body, part)
            out += part
        except Unusable as reason:
            print(f"stencils.py: {name}: {reason}", file=sys.stderr)
    with open(target, "w", encoding="ascii") as file:
        file.write("\n".join(kept + out) + "\n")


if __name__ == "__main__":
    main()
