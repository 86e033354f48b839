# SPDX-License-Identifier: MIT
"""Compares floating point with exact arithmetic (fpmodel.py), without another emulator."""
from . import cases, fpmodel, guest, report

CHUNK = 400  # cases of one run: states are large
ENABLES = fpmodel.VE | fpmodel.OE | fpmodel.UE | fpmodel.ZE | fpmodel.XE


class Arithmetic:
    def __init__(self, emulator, rows, seed):
        self.emulator, self.seed = emulator, seed
        self.rows = [r for r in rows if fpmodel.modelled(r)]
        self.count = 0
        self.wrong = []  # (row, text)

    def run(self, sets, sequences):
        """Each instruction, half of the sets with exceptions enabled; then short sequences."""
        work = [c.but(masks={}, enables=enables) for r in self.rows for enables in (0, ENABLES)
                for c in cases.for_row(r, f"{self.seed} {enables}", sets // 2, lambda *_: {})]
        for case, states in self.states(work):
            for before, after in states:
                self.check(case, 0, before, after)
        if self.rows:
            self.run_sequences(sequences)

    def run_sequences(self, count):
        """What an instruction leaves behind for the next; nothing reads the FPSCR in between."""
        maker = cases.Sequences(self.rows, f"{self.seed} arithmetic", {})
        prefixes = []
        for i in range(count):
            case = maker.make(i, 1).but(enables=ENABLES if i & 1 else 0)
            prefixes += [case.but(words=case.words[:n], rows=case.rows[:n])
                         for n in range(1, len(case.words) + 1)]
        last = None
        for case, states in self.states(prefixes):
            for before, after in states:
                if len(case.words) > 1 and last:
                    before = last
                self.check(case, len(case.words) - 1, before, after)
                last = after

    def states(self, work):
        """The states before and after each operand set of each case."""
        for at in range(0, len(work), CHUNK):
            chunk = [c.but(report=guest.REPORT_STATES) for c in work[at:at + CHUNK]]
            for case, result in zip(chunk, self.emulator.run(chunk)):
                if isinstance(result, guest.Died):
                    self.wrong.append((case.rows[-1], f"{case.rows[-1].name}: {result.why}"))
                    yield case, []
                    continue
                yield case, [[guest.State.parse(result, (2 * i + n) * guest.STATE_BYTES)
                              for n in (0, 1)] for i in range(case.sets)]

    def check(self, case, position, before, after):
        row = case.rows[position]
        found = fpmodel.check(row, case.words[position], before, after)
        self.count += 1
        if found:
            text = [f"{row.name}: not what exact arithmetic says: " + "; ".join(found),
                    *report.describe_inputs(case, position, before)]
            self.wrong.append((row, "\n".join(text)))
