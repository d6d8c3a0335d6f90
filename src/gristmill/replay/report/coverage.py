"""What traces have covered: each action with a bar, and which followed which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gristmill.replay.outcome import Outcome
from gristmill.replay.report.words import counted
from gristmill.report.page.markup import chips, code, text

_MOST_IN_MATRIX = 40  # actions
_MOST_PAIRS = 60
_BEGINNING = "(beginning)"


def coverage(outcome: Outcome) -> str:
    return f'<section id="coverage"><h2>Coverage</h2>{_bars(outcome)}{_unmet(outcome)}{_pairs(outcome)}</section>'


def _bars(outcome: Outcome) -> str:
    most = max(outcome.actions.values(), default=1)
    rows = "".join(
        f'<li>{code(name)}<span class="track"><span class="fill" style="width:{100 * times / most:.1f}%"></span></span>'
        f'<span class="count">{times:,}</span></li>'
        for name, times in outcome.actions.most_common()
    )
    return f'<ul class="bars">{rows}</ul>'


def _unmet(outcome: Outcome) -> str:
    if not outcome.unmet:
        return "<p>Every action of the specification was replayed.</p>" if outcome.actions else ""
    return f"<h3>Never replayed: {counted(len(outcome.unmet), 'action')}</h3>{chips(outcome.unmet)}"


def _pairs(outcome: Outcome) -> str:
    if not outcome.pairs:
        return ""
    names = sorted(outcome.actions)
    told = f"{counted(len(outcome.pairs), 'pair')} of actions, one right behind the other"
    inside = _matrix(outcome, names) if len(names) <= _MOST_IN_MATRIX else _most_frequent(outcome)
    return f'<details id="pairs"><summary>{told}</summary>{inside}</details>'


def _matrix(outcome: Outcome, names: Sequence[str]) -> str:
    heads = "".join(f'<th scope="col"><span>{text(name)}</span></th>' for name in names)
    rows = "".join(_row(outcome, before, names) for before in ("", *names))
    return (
        '<div class="scroll"><table class="matrix"><thead><tr><td class="soft">then →</td>'
        f"{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(outcome: Outcome, before: str, names: Sequence[str]) -> str:
    most = max(outcome.pairs.values())
    cells = "".join(_cell(before or _BEGINNING, name, outcome.pairs[before, name], most) for name in names)
    return f'<tr><th scope="row">{text(before or _BEGINNING)}</th>{cells}</tr>'


def _cell(before: str, after: str, times: int, most: int) -> str:
    if not times:
        return "<td></td>"
    share = 20 + round(60 * times / most)
    return f'<td style="--share:{share}%" title="{text(f"{before}, then {after}: {times:,}")}">{times:,}</td>'


def _most_frequent(outcome: Outcome) -> str:
    return f'<div class="scroll"><table>{"".join(_frequent(outcome))}</table></div>'


def _frequent(outcome: Outcome) -> Iterator[str]:
    for (before, after), times in outcome.pairs.most_common(_MOST_PAIRS):
        yield f"<tr><td>{code(before or _BEGINNING)}</td><td>{code(after)}</td><td>{times:,}</td></tr>"
    if len(outcome.pairs) > _MOST_PAIRS:
        yield f'<tr><td colspan="3">and {counted(len(outcome.pairs) - _MOST_PAIRS, "pair")} more</td></tr>'
