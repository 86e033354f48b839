# SPDX-License-Identifier: MIT
"""Runs cases under two emulators and finds out what differs."""
import collections
import concurrent.futures
import dataclasses
import struct

from . import deviations, guest

CHUNK = 20000  # cases of one run of the guest program
SETS_LOOKED_AT = 48  # differing operand sets of a case that are examined one by one


@dataclasses.dataclass
class Difference:
    """One instruction that two emulators execute differently."""

    case: object
    set: int
    position: int  # of the instruction in the case
    before: object = None
    ours: object = None
    theirs: object = None
    slots: dict = dataclasses.field(default_factory=dict)  # slot -> differing bits, not excused
    memory: bool = False
    died: tuple = None  # (ours, theirs) if an emulator did not survive

    @property
    def row(self):
        return self.case.rows[self.position]


def causes(*results):
    return tuple(r.why if isinstance(r, guest.Died) else "goes on" for r in results)


class Comparison:
    def __init__(self, ours, theirs):
        self.ours, self.theirs = ours, theirs
        self.differences = []
        self.excused = collections.Counter()  # name of deviation -> operand sets
        self.sets = 0

    def both(self, cases):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            runs = [pool.submit(e.run, cases) for e in (self.ours, self.theirs)]
            return zip(cases, *(r.result() for r in runs))

    def run(self, cases, progress=None):
        """Compare; what differs is added to self.differences."""
        for at in range(0, len(cases), CHUNK):
            chunk = cases[at:at + CHUNK]
            self.sets += sum(c.sets for c in chunk)
            different = []
            for case, a, b in self.both(chunk):
                if isinstance(a, guest.Died) or isinstance(b, guest.Died):
                    self.died(case, a, b)
                elif a != b:
                    different.append(case)
            if different:
                self.examine(different)
            if progress:
                progress(at + len(chunk), len(cases))

    def died(self, case, a, b):
        """Note that a case ended in the middle; at which instruction, blame() finds out."""
        if sum(1 for r in case.rows if r) > 1:
            self.blame([case.but(first=case.first + i, sets=1) for i in range(case.sets)])
            return
        position = next(i for i, r in enumerate(case.rows) if r)
        self.differences.append(Difference(case, 0, position, died=causes(a, b)))

    def examine(self, cases):
        """Find the differing operand sets of cases that differ."""
        singles = []
        sets = [c.but(report=guest.REPORT_SETS) for c in cases]
        for case, a, b in self.both(sets):
            if isinstance(a, guest.Died) or isinstance(b, guest.Died):
                self.died(case, a, b)
                continue
            a, b = (struct.unpack(f"<{case.sets}Q", r) for r in (a, b))
            which = [i for i in range(case.sets) if a[i] != b[i]]
            if not which:
                position = next(i for i, r in enumerate(case.rows) if r)
                self.differences.append(Difference(case, 0, position,
                                                   died=("differs from run to run", "or this")))
            step = max(len(which) // SETS_LOOKED_AT, 1)
            singles += [case.but(first=case.first + i, sets=1) for i in which[::step]]
        self.blame(singles)

    def blame(self, cases):
        """Find the instruction of each case (of one operand set) that makes the difference.

        The case is run with only its first instruction, its first two, and so on.
        """
        prefixes, owners = [], []
        for case in cases:
            positions = [i for i, r in enumerate(case.rows) if r]
            for last in positions:
                words = case.words[:last + 1] + [guest.NOP] * (len(case.words) - last - 1)
                prefixes.append(case.but(words=words if last != positions[-1] else case.words,
                                         report=guest.REPORT_STATES))
                owners.append((case, last))
        done, before = None, None
        for (_, a, b), (case, position) in zip(self.both(prefixes), owners):
            if case is done:
                continue
            if isinstance(a, guest.Died) or isinstance(b, guest.Died):
                done = case
                self.differences.append(Difference(case, case.first, position, died=causes(a, b)))
                continue
            first = next(i for i, r in enumerate(case.rows) if r)
            if position == first:
                before = guest.State.parse(a, 0)
            ours, theirs = (guest.State.parse(r, guest.STATE_BYTES) for r in (a, b))
            slots = self.differing(case, ours, theirs)
            memory = case.memory and ours.memory != theirs.memory
            if slots or memory:
                done = case
                self.judge(Difference(case, case.first, position, before, ours, theirs, slots,
                                      memory))
            before = ours

    @staticmethod
    def differing(case, ours, theirs):
        slots = {}
        for slot in guest.COMPARED:
            if slot != case.holder:
                bits = (ours.slots[slot] ^ theirs.slots[slot]) & case.masks.get(
                    slot, guest.ALL_BITS)
                if bits:
                    slots[slot] = bits
        return slots

    def judge(self, difference):
        """Take away what a deviation excuses."""
        d = difference
        context = deviations.Context(d.row, d.case.words[d.position], d.before, d.ours, d.theirs)
        for deviation, ignored in deviations.excusing(context):
            hit = False
            for slot, bits in ignored.items():
                if slot in d.slots:
                    hit = hit or bool(d.slots[slot] & bits)
                    d.slots[slot] &= ~bits
                    if not d.slots[slot]:
                        del d.slots[slot]
            if hit:
                self.excused[deviation.name] += 1
        if d.slots or d.memory:
            self.differences.append(d)
