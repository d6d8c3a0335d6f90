"""Static partial-order reduction: which handlers commute is read off their source; sufficient sets are stubborn sets.

An *action* is what a process does with messages of one sender by one handler, or one of its timers, or a quorum
handler. Actions of different processes commute, whatever they do: a step changes its own process, takes from its own
inbox, and adds messages to others, and adding commutes with taking something else. (Bounds on faults are shared by all:
there is no reduction while a fault can still happen.) Actions of one process commute unless one writes what the other
uses, or both can take the same message, or send to the same process over an ordered channel.

A set of actions is stubborn in a state if, for each action of it,
- if it is enabled, the set has every action of the process that does not commute with it;
- the set has every action that may send a message to it: another instance of the action, with that message, does not
  commute with this one, and is not enabled;
- if a message waits and its guard is false, the set has every action that may change what the guard reads;
- if an enabled action of the set is visible (writes a field that an invariant reads), the set has all visible actions.
Firing only the enabled actions of such a set preserves states without a next step, the verdicts of invariants and the
failures of handlers, if no cycle is closed (Valmari; the search sees to the cycles).

All of that rests on what the source says. What handlers then do is compared with it, each time one is run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gristmill.explore.analysis.effects import TIMER
from gristmill.explore.data import thaw
from gristmill.explore.model import State, Transition
from gristmill.explore.native.judge import Slot
from gristmill.explore.program import Envelope, Local, Problem
from gristmill.explore.reductions.interference import Action, Interference, NotReducible
from gristmill.explore.transitions import Inbox, LocalStep, Spare
from gristmill.trace.schedule import Event


class _Seen(NamedTuple):
    """What `check_step` looks at, of a global transition."""

    event: Event
    local: Local
    sends: tuple[Envelope, ...]
    problem: Problem | None


class StaticReduction(Interference):
    """Actions are numbered over all processes; sets of them are bit masks.

    `left_out`: how many steps were not taken because of it.
    """

    left_out = 0

    # What the search asks

    def action(self, process: int, event: Event) -> int:
        if event.kind == "timer":
            method, sender = self.rules.programs[process].timers[event.name], ""
        elif event.kind in ("deliver", "duplicate"):
            method, sender = event.name, event.received[0].sender
            if self.handler(process, method).kind == "quorum":
                sender = ""
        else:
            return self.bases[process]  # a fault: then nothing is reduced
        number = self.number.get(Action(process, method, sender))
        if number is None:
            raise NotReducible(f"{event} was not foreseen: nothing in the source sends it")
        return number

    def rows(self, process: int, local: Local, inbox: Inbox, spare: Spare, enabled: set[int]) -> list[int]:
        """For each action of the process, what a stubborn set with it must have."""
        return [
            self._row(number, local, inbox, number in enabled)
            for number in range(len(self.actions))
            if self.owners[number] == process
        ]

    def _row(self, number: int, local: Local, inbox: Inbox, enabled: bool) -> int:
        row = 1 << number
        if local.status != "up":
            return row
        row |= self.producers[number] | self.same_channel[number]
        if enabled:
            row |= self.dependent[number]
        if self.waits(self.actions[number], inbox):
            row |= self.unblockers[number]
        return row

    def reducible(self, spare: Spare) -> bool:
        """Whether nothing can go wrong any more, and the network is whole."""
        return spare.side < 0 and all(part <= 0 for part in spare)

    def check_read(self, slot: Slot) -> None:
        """A property reads this: it must have been foreseen."""
        if slot.part == "field" and self.visible_fields is not None and slot.field not in self.visible_fields:
            raise NotReducible(f"a property reads {slot.field}, which its source does not mention")
        if slot.part == "inbox" and self.visible_fields is not None:
            raise NotReducible("a property reads the network")

    def check_step(self, process: int, before: Local, step: LocalStep | _Seen) -> None:
        """A handler did this: it must have been foreseen."""
        if step.problem or step.event.kind not in ("deliver", "timer"):
            return
        program = self.rules.programs[process]
        method = program.timers[step.event.name] if step.event.kind == "timer" else step.event.name
        effects = self.effects[process][method]
        if effects.anything:
            return
        known = dict(before.fields)
        changed = {name for name, value in step.local.fields if known.get(name, known) != value}
        changed |= {TIMER + name for name in step.local.timers ^ before.timers}
        unforeseen = changed - effects.writes - self.ignored[process]
        if unforeseen:
            raise NotReducible(f"{program.name}.{method} changes {sorted(unforeseen)}, which its source does not show")
        for envelope in step.sends:
            if not self.may_send(process, method, self.sender_of(step.event), envelope.receiver, envelope.message[1]):
                raise NotReducible(
                    f"{program.name}.{method} sends {thaw(envelope.message)}, which its source does not show"
                )

    # The naive twin of native/reduce.c

    def reduce(self, state: State, transitions: Sequence[Transition]) -> Sequence[Transition]:
        if not self.reducible(state.spare):
            return transitions
        for one in transitions:
            after = one.target.locals[one.process]
            self.check_step(one.process, state.locals[one.process], _Seen(one.event, after, one.sends, one.problem))
        actions = [self.action(one.process, one.event) for one in transitions]
        enabled = self.mask_of(actions)
        rows: list[int] = []
        for process, (local, inbox) in enumerate(zip(state.locals, state.inboxes, strict=True)):
            rows += self.rows(process, local, inbox, state.spare, set(actions))
        best: list[Transition] = list(transitions)
        for seed in sorted(set(actions)):
            closed = self._close(seed, rows, enabled)
            chosen = [one for one, action in zip(transitions, actions, strict=True) if closed >> action & 1]
            if len(chosen) < len(best):
                best = chosen
        self.left_out += len(transitions) - len(best)
        return best

    # Why there is nothing to leave out

    def obstacle(self) -> str:
        """The most likely reason, for a person: what would have to change for the reduction to help."""
        spare = self.rules.first_spare()
        if not self.reducible(spare):
            return "as long as a fault or a timeout can still happen, nothing is left out"
        unclear = [
            f"{self.rules.names[process]}.{method}"
            for process, effects in enumerate(self.effects)
            for method, one in effects.items()
            if one.anything and method in self.rules.programs[process].handlers
        ]
        if unclear:
            return f"what {unclear[0]} does cannot be read off its source, so it may interfere with everything"
        if self.visible_fields is None:
            return "what the properties read cannot be read off their source, so every step may matter to them"
        if self.visible == self.mask_of(range(len(self.actions))):
            return "every handler changes what the properties read, so the order of all steps may matter to them"
        return "the handlers of each process use what the others of it change, so no two of its steps commute"

    def _close(self, seed: int, rows: list[int], enabled: int) -> int:
        closed = 1 << seed
        while True:
            grown = closed
            for number, row in enumerate(rows):
                if closed >> number & 1:
                    grown |= row
            if grown & enabled & self.visible:
                grown |= self.visible
            if grown == closed:
                return closed
            closed = grown
