"""What can be folded: modules, definitions, proofs and their steps, comments, algorithms and their parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Literal

from gristmill.language.algorithm import translation_of
from gristmill.language.analysis import Analysis, in_text_of
from gristmill.syntax import tree

_FOLDED = (
    tree.OperatorDefinition,
    tree.FunctionDefinition,
    tree.InstanceDefinition,
    tree.Theorem,
    tree.Assume,
    tree.ConstantDeclaration,
    tree.VariableDeclaration,
    tree.InstanceUnit,
    tree.Step,
)


@dataclass(frozen=True, slots=True)
class Fold:
    """Lines from 0, both included."""

    first: int
    last: int
    kind: Literal["region", "comment"] = "region"


def folds(analysis: Analysis) -> list[Fold]:
    found: dict[tuple[int, int], Fold] = {}
    for start, end, kind in (*_of_tree(analysis), *_of_comments(analysis), *_of_algorithm(analysis)):
        first = analysis.positions.position(start).line
        last = analysis.positions.position(max(start, end - 1)).line
        if last > first:
            found.setdefault((first, last), Fold(first, last, kind))
    return sorted(found.values(), key=lambda fold: (fold.first, -fold.last))


Stretch = tuple[int, int, Literal["region", "comment"]]


def _of_tree(analysis: Analysis) -> Iterator[Stretch]:
    waiting: list[Any] = [] if analysis.root is None else [analysis.root.node]
    while waiting:
        node = waiting.pop()
        seen = in_text_of(analysis.file, node.span) if isinstance(node, (*_FOLDED, tree.Module)) else None
        if seen is not None:
            yield *seen, "region"
        match node:
            case tree.Module(units=units):
                waiting.extend(units)
            case tree.Theorem(proof=proof) | tree.Step(proof=proof):
                waiting.extend(proof.steps if isinstance(proof, tree.StepsProof) else ())
            case tree.OperatorDefinition(body=body) | tree.FunctionDefinition(body=body) if isinstance(body, tree.Let):
                waiting.extend(body.definitions)
            case _:
                pass


def _of_comments(analysis: Analysis) -> Iterator[Stretch]:
    """Block comments, and lines of comments that follow each other."""
    text = analysis.text
    run: tuple[int, int] | None = None
    for start, end in analysis.tokens.comments:
        alone = not text[text.rfind("\n", 0, start) + 1 : start].strip()
        if not text.startswith("\\*", start):
            yield start, end, "comment"
        elif alone and run is not None and not text[run[1] : start].strip() and text.count("\n", run[1], start) == 1:
            run = run[0], end
            continue
        if run is not None:
            yield *run, "comment"
        run = (start, end) if alone and text.startswith("\\*", start) else None
    if run is not None:
        yield *run, "comment"


def _of_algorithm(analysis: Analysis) -> Iterator[Stretch]:
    if analysis.algorithm is not None:
        waiting: list[Any] = [analysis.algorithm.algorithm]
        while waiting:
            node = waiting.pop()
            if isinstance(node, tuple):
                waiting.extend(node)
            elif hasattr(node, "__dataclass_fields__") and not isinstance(node, tree.Name):
                span = getattr(node, "span", None)
                if span is not None and type(node).__module__.endswith("pluscal.tree"):
                    yield span.start, span.end, "region"
                    waiting.extend(getattr(node, part.name) for part in fields(node) if part.name != "span")
    region = translation_of(analysis.file)
    if region is not None:
        yield analysis.text.rfind("\n", 0, region[0] - 1) + 1, region[1], "region"
