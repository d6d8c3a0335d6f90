"""What took how long, for a person: phases, then parts, the most expensive first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.report.style import Style, printable
from gristmill.search.profile import Kind, Memory, Part, Phase, PhaseName, Profile
from gristmill.search.result import Result

_PHASES: dict[PhaseName, str] = {
    "parse": "read the specification",
    "assumptions": "constants and assumptions",
    "prepare": "prepare the reference evaluator",
    "sample": "reference evaluator, until C is compiled",
    "generate": "generate C",
    "wait": "wait for the C compiler",
    "compile": "compile C",
    "search": "search",
    "symmetry": "verify the symmetry",
    "temporal": "temporal properties",
}
_KINDS: dict[Kind, str] = {
    "initial": "initial predicate",
    "action": "action",
    "invariant": "invariant",
    "implied_init": "initial property",
    "constraint": "constraint",
    "action_constraint": "action constraint",
    "implied_action": "action property",
    "obligation": "obligation of an action",
    "operator": "operator",
    "state": "whole states",
}


def render_profile(result: Result, profile: Profile, style: Style) -> Iterator[str]:
    """Lines."""
    yield style.paint("heading", "What took how long")
    parsing = sum(phase.seconds for phase in profile.phases if phase.name == "parse")
    yield from _phases(profile.phases, result.seconds + parsing)  # which is from the model to the verdict
    yield ""
    yield style.paint("heading", "What the states cost")
    yield from _engine(result, profile)
    if profile.memory is not None and result.distinct:
        yield from _memory(profile.memory, result.distinct)
    yield ""
    yield from _parts(profile.parts, native=result.engine == "native", style=style)


def _phases(phases: Sequence[Phase], total: float) -> Iterator[str]:
    own = sorted((each for each in phases if not each.beside), key=lambda each: -each.seconds)
    lines = [(_PHASES[each.name], each.seconds, _share(each.seconds, total)) for each in own if each.seconds >= 0.0005]
    rest = total - sum(each.seconds for each in own)
    if rest >= 0.001:
        lines.append(("everything else", rest, _share(rest, total)))
    lines += [(_PHASES[each.name], each.seconds, "meanwhile") for each in phases if each.beside]
    width = max((len(name) for name, _, _ in lines), default=0)
    for name, seconds, share in lines:
        yield f"  {name:<{width}}  {seconds:>9.3f} s  {share:>9}"


def _share(seconds: float, total: float) -> str:
    return f"{100 * seconds / total:.0f} %" if total else ""


def _engine(result: Result, profile: Profile) -> Iterator[str]:
    speed = result.generated / result.search_seconds if result.search_seconds else 0.0
    rate = f", {speed:,.0f} generated a second" if speed else ""
    if result.engine == "native":
        again = f", with the layout number {profile.layouts}" if profile.layouts > 1 else ""
        yield f"  explored by native code{again}{rate}"
        if profile.first_native_state is not None:
            yield f"  which began {profile.first_native_state:.2f} s after the command was started"
    else:
        reason = f" ({profile.reason})" if profile.reason else ""
        yield f"  explored by the reference evaluator{reason}{rate}"


def _memory(memory: Memory, distinct: int) -> Iterator[str]:
    yield (
        f"  {memory.table / distinct:.1f} bytes a state in memory, {memory.state} of its own before they are packed; "
        f"{memory.values / (1 << 20):.1f} MB of values that states share"
    )


def _parts(parts: Sequence[Part], native: bool, style: Style) -> Iterator[str]:
    shown = sorted(parts, key=lambda part: (-part.seconds, -(part.generated or 0)))
    names = [printable(f"{_KINDS[part.kind]} {part.name}".rstrip()) for part in shown]
    width = max(map(len, ["part", *names]))
    head = f"{'part':<{width}}  {'evaluated':<9}  {'asked':>11}  {'seconds':>9}  {'generated':>13}  {'new':>13}"
    yield style.paint("heading", f"{head}  share new")
    for name, part in zip(names, shown, strict=True):
        line = f"{name:<{width}}  {_where(part, native):<9}  {part.calls:>11,}  {part.seconds:>9.3f}{_counts(part)}"
        line = line.rstrip()
        if native and not part.native:
            line = style.paint("warning", line + (f"  {printable(part.reason)}" if part.reason else ""))
        yield line
    yield ""
    yield "asked, seconds: how often the reference evaluator was asked, and how long that took it"


def _where(part: Part, native: bool) -> str:
    return "in C" if native and part.native else "in Python"


def _counts(part: Part) -> str:
    if part.generated is None or part.distinct is None:
        return " " * 43
    share = f"{100 * part.distinct / part.generated:.1f} %" if part.generated else ""
    return f"  {part.generated:>13,}  {part.distinct:>13,}  {share:>9}"
