#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Writes the litmus tests of transactional memory as C functions with POWER assembly, one for each
# thread of each row: rows.py OUTPUT. litmus.c runs them.
#
# The rows are programs of the model of Chong, Sorensen and Wickerson (PLDI 2018), which describes
# the Power ISA's transactions, with its verdicts. A thread is written as
#
#	W x 1		store 1 to x		R x a		load x into a
#	Wdata x 1 a	the value depends on a	Raddr x b a	the address depends on a
#	larx x a	stcx x 1 s	s = 1 if it stored
#	sync  lwsync	ctrl a	a branch that depends on a, then isync
#	T{ ... }	a transaction; it is tried until it commits
#
# All memory is 0 at first. The outcome is over what was loaded and what memory holds at the end.
import sys

FORBIDDEN, ALLOWED, EXCLUDED = "forbidden", "allowed", "excluded"

ROWS = [
    # name, threads, outcome, verdict
    ("1", ["T{ R x a; R x b }", "W x 1"], "a == 0 && b == 1", FORBIDDEN),
    ("2", ["T{ R x a; W x 1 }", "W x 2"], "a == 0 && x == 1", FORBIDDEN),
    ("3", ["T{ W x 1; R x a }", "W x 2"], "a == 2 && x == 2", FORBIDDEN),
    ("4", ["T{ W x 1; W x 2 }", "R x a"], "a == 1", FORBIDDEN),
    ("5", ["T{ W x 1; R y a }", "T{ W y 1; R x b }"], "a == 0 && b == 0", FORBIDDEN),
    ("6", ["T{ W x 1 }; R y a", "T{ W y 1 }; R x b"], "a == 0 && b == 0", FORBIDDEN),
    ("7", ["W x 1; T{ R y a }", "W y 1; T{ R x b }"], "a == 0 && b == 0", FORBIDDEN),
    ("8", ["W x 1; T{ R z c }; R y a", "W y 1; T{ R w d }; R x b"], "a == 0 && b == 0",
     FORBIDDEN),
    ("9", ["T{ W x 1 }; R y a", "W y 1; sync; R x b"], "a == 0 && b == 0", FORBIDDEN),
    ("10", ["T{ W x 1; W y 1 }", "T{ R y a; R x b }"], "a == 1 && b == 0", FORBIDDEN),
    ("11-addr", ["T{ W x 1; W y 1 }", "R y a; Raddr x b a"], "a == 1 && b == 0", FORBIDDEN),
    ("11-lwsync", ["T{ W x 1; W y 1 }", "R y a; lwsync; R x b"], "a == 1 && b == 0", FORBIDDEN),
    ("11-ctrl-isync", ["T{ W x 1; W y 1 }", "R y a; ctrl a; R x b"], "a == 1 && b == 0",
     FORBIDDEN),
    ("12", ["T{ W x 1; W y 1 }", "R y a; R x b"], "a == 1 && b == 0", ALLOWED),
    ("13-after", ["W x 1; T{ W y 1 }", "R y a; Raddr x b a"], "a == 1 && b == 0", FORBIDDEN),
    ("13-before", ["T{ W x 1 }; W y 1", "R y a; Raddr x b a"], "a == 1 && b == 0", FORBIDDEN),
    ("14-second", ["W x 1; lwsync; W y 1", "R y a; T{ R x b }"], "a == 1 && b == 0", FORBIDDEN),
    ("14-first", ["W x 1; lwsync; W y 1", "T{ R y a }; R x b"], "a == 1 && b == 0", FORBIDDEN),
    ("15-ones", ["T{ R x a; W y 1 }", "T{ R y b; W x 1 }"], "a == 1 && b == 1", FORBIDDEN),
    ("15-skew", ["T{ R x a; W y 1 }", "T{ R y b; W x 1 }"], "a == 0 && b == 0", FORBIDDEN),
    ("16", ["T{ W x 1; W y 1 }", "T{ W x 2; W y 2 }"], "x != y", FORBIDDEN),
    ("17", ["T{ W x 1; W y 1 }", "W x 2; W y 2"], "x == 1 && y == 2", ALLOWED),
    ("18", ["W x 1", "T{ R x a; W y 1 }", "R y b; Raddr x c b"], "a == 1 && b == 1 && c == 0",
     FORBIDDEN),
    ("19", ["T{ W x 1 }", "R x a; Wdata y 1 a", "R y b; Raddr x c b"],
     "a == 1 && b == 1 && c == 0", FORBIDDEN),
    ("20", ["W x 1", "R x a; Wdata y 1 a", "R y b; Raddr x c b"], "a == 1 && b == 1 && c == 0",
     ALLOWED),
    ("21", ["W x 1", "R x a; T{ W y 1 }", "R y b; Raddr x c b"], "a == 1 && b == 1 && c == 0",
     FORBIDDEN),
    ("22", ["T{ W x 1 }", "R x a; Raddr y b a", "T{ W y 1 }", "R y c; Raddr x d c"],
     "a == 1 && b == 0 && c == 1 && d == 0", FORBIDDEN),
    ("23", ["T{ W x 1 }", "R x a; Raddr y b a", "W y 1", "R y c; Raddr x d c"],
     "a == 1 && b == 0 && c == 1 && d == 0", ALLOWED),
    ("24", ["W x 1", "T{ R x a; R y b }", "W y 1", "T{ R y c; R x d }"],
     "a == 1 && b == 0 && c == 1 && d == 0", FORBIDDEN),
    ("25", ["W x 1", "T{ R x a; R y b }", "W y 1; sync; R x c"], "a == 1 && b == 0 && c == 0",
     ALLOWED),
    ("26-larx-before", ["larx x a; T{ stcx x 1 s }"], "s == 1", FORBIDDEN),
    ("26-stcx-after", ["T{ larx x a }; stcx x 1 s"], "s == 1", FORBIDDEN),
    ("26-two", ["T{ larx x a }; T{ stcx x 1 s }"], "s == 1", FORBIDDEN),
    ("26-between", ["larx x a; T{ R z b }; stcx x 1 s"], "s == 1", FORBIDDEN),
    ("27", ["T{ larx x a; stcx x 1 s }"], "a == 0 && s == 1 && x == 1", ALLOWED),
    ("28", ["T{ R x a; W x 1 }", "larx x b; stcx x 2 s"], "a == 0 && b == 0 && s == 1",
     FORBIDDEN),

    # The model allows these, but a machine that detects conflicts on all lines excludes them.
    ("e1", ["T{ W x 1; R y a }", "W y 1; sync; R x b"], "a == 0 && b == 0", EXCLUDED),
    ("e2", ["T{ R y a; R x b }", "W x 1; lwsync; W y 1"], "a == 1 && b == 0", EXCLUDED),
    ("e3", ["T{ W x 2; W y 1 }", "R y a; Wdata x 1 a"], "a == 1 && x == 2", EXCLUDED),

    # Does the harness see anything? Without transactions these come about.
    ("control-sb", ["W x 1; R y a", "W y 1; R x b"], "a == 0 && b == 0", ALLOWED),
    ("control-lost-update", ["R x a; W x 1", "W x 2"], "a == 0 && x == 1", ALLOWED),
    ("control-between", ["R x a; R x b", "W x 1"], "a == 0 && b == 1", ALLOWED),
    ("control-leak", ["W x 1; W x 2", "R x a"], "a == 1", ALLOWED),
]

PLACES = "xyzw"
VALUES = "abcds"


class Thread:
    """Assembly of one thread. Operands are named; labels are local to the asm statement."""

    def __init__(self, text):
        self.lines, self.values, self.labels, self.begin = [], set(), 0, 0
        for op in text.replace("T{", "T{;").replace("}", ";}").split(";"):
            words = op.split()
            if not words:
                continue
            if self.lines and words[0] not in ("}", "ctrl"):
                self.delay()
            self.emit(words)

    def out(self, text):
        self.lines.append(text)

    def delay(self):
        self.labels += 1
        self.out("mtctr %[delay]")
        self.out(f".Ldelay{self.labels}_%=: bdnz .Ldelay{self.labels}_%=")

    def value(self, name):
        self.values.add(name)
        return f"%[{name}]"

    def emit(self, words):
        op, args = words[0], words[1:]
        if op == "T{":
            self.labels += 1
            self.begin = self.labels
            self.out(f".Lbegin{self.begin}_%=: tbegin. 0")
            self.out(f"beq- .Lfailed{self.begin}_%=")
        elif op == "}":
            n = self.begin
            self.out("tend. 0")
            self.out(f"b .Ldone{n}_%=")
            self.out(f".Lfailed{n}_%=: addi %[failures], %[failures], 1")
            self.out(f"b .Lbegin{n}_%=")
            self.out(f".Ldone{n}_%=:")
        elif op == "W":
            self.out(f"li 9, {args[1]}")
            self.out(f"std 9, 0(%[{args[0]}])")
        elif op == "Wdata":
            self.out(f"xor 9, {self.value(args[2])}, {self.value(args[2])}")
            self.out(f"addi 9, 9, {args[1]}")
            self.out(f"std 9, 0(%[{args[0]}])")
        elif op == "R":
            self.out(f"ld {self.value(args[1])}, 0(%[{args[0]}])")
        elif op == "Raddr":
            self.out(f"xor 9, {self.value(args[2])}, {self.value(args[2])}")
            self.out(f"ldx {self.value(args[1])}, %[{args[0]}], 9")
        elif op == "larx":
            self.out(f"ldarx {self.value(args[1])}, 0, %[{args[0]}]")
        elif op == "stcx":
            self.out(f"li 9, {args[1]}")
            self.out(f"stdcx. 9, 0, %[{args[0]}]")
            self.out("mfcr 9")
            self.out(f"rlwinm {self.value(args[2])}, 9, 3, 31, 31")
        elif op == "ctrl":
            self.labels += 1
            self.out(f"cmpd 6, {self.value(args[0])}, {self.value(args[0])}")
            self.out(f"bne 6, .Lctrl{self.labels}_%=")
            self.out(f".Lctrl{self.labels}_%=: isync")
        elif op in ("sync", "lwsync"):
            self.out(op)
        else:
            sys.exit(f"rows.py: what is {op}?")

    def function(self, name):
        asm = "\n".join(f'\t\t"{line}\\n"' for line in self.lines)
        outs = ", ".join([f'[{v}] "+&r"(o->{v})' for v in sorted(self.values)] +
                         ['[failures] "+&r"(failures)'])
        ins = ", ".join([f'[{p}] "b"(l->{p})' for p in PLACES] + ['[delay] "r"(delay)'])
        return (f"static u64 {name}(const struct places *l, struct values *o, u64 delay)\n{{\n"
                f"\tu64 failures = 0;\n\n\t(void)o;\n"
                f"\tasm volatile(\n{asm}\n\t\t: {outs}\n\t\t: {ins}\n"
                f'\t\t: "r9", "ctr", "cr0", "cr6", "memory");\n\treturn failures;\n}}\n')


def main():
    with open(sys.argv[1], "w", encoding="ascii") as file:
        table = []
        for name, threads, outcome, verdict in ROWS:
            symbol = name.replace("-", "_")
            functions = []
            for i, text in enumerate(threads):
                functions.append(f"row_{symbol}_{i}")
                file.write(Thread(text).function(functions[-1]) + "\n")
            used = [v for v in VALUES + PLACES if v in outcome]
            setup = "".join(f"\tu64 {v} = " + (f"*l->{v}" if v in PLACES else f"o->{v}") + ";\n"
                            for v in used)
            file.write(f"static bool outcome_{symbol}(const struct places *l, "
                       f"const struct values *o)\n{{\n{setup}\n\t(void)l;\n\t(void)o;\n"
                       f"\treturn {outcome};\n}}\n\n")
            text = " || ".join(threads)
            table.append(f'\t{{"{name}", "{text}", "{outcome}", {verdict.upper()}, '
                         f"{len(threads)}, {{{', '.join(functions)}}}, outcome_{symbol}}},\n")
        file.write("static const struct row rows[] = {\n" + "".join(table) + "};\n")


main()
