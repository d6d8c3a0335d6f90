"""Golden suites of the passes: `passes/NAME.md` has modules, and their IR before and after the pass of that name.

Passes for native code are shown with all formulas and definitions; of those that stand there twice, the first time.

`pytest --update-golden` writes the IR anew; read the difference.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from lowered import model_of, native_model_of

from gristmill.ir.model import Model
from gristmill.ir.passes import NATIVE_PASSES, PASSES
from gristmill.ir.passes.observers import Observer
from gristmill.ir.printer import print_model

FOLDER = Path(__file__).parent / "passes"
_FENCE = re.compile(r"```(\w*)\n(.*?)```\n", re.DOTALL)


@dataclass(frozen=True)
class Case:
    suite: str
    text: str  # from its title on

    @property
    def title(self) -> str:
        return f"{self.suite}: {self.text.partition(chr(10))[0]}"

    def block(self, kind: str) -> str:
        return next((body for found, body in _FENCE.findall(self.text) if found == kind), "")


def read(path: Path) -> tuple[str, list[Case]]:
    """What stands before the first case, and the cases."""
    head, *sections = path.read_text().split("\n## ")
    return head, [Case(path.stem, section.rstrip("\n") + "\n") for section in sections]


def cases() -> list[Case]:
    return [case for path in sorted(FOLDER.glob("*.md")) for case in read(path)[1]]


def written(case: Case) -> str:
    """The case with the IR that there is now."""
    module, config = case.block("tla"), case.block("cfg")
    before, after = shown_around(module, config, case.suite)
    given = f"\n```cfg\n{config}```\n" if config else ""
    words = case.text.partition("```tla\n")[0]
    return f"{words}```tla\n{module}```\n{given}\nBefore:\n\n```\n{before}```\n\nAfter:\n\n```\n{after}```\n"


def update(path: Path) -> None:
    head, found = read(path)
    path.write_text("\n## ".join((head, *map(written, found))))


def shown_around(module: str, config: str, name: str) -> tuple[str, str]:
    """The text before and after a pass, printed while the model is built: values have their order there."""
    is_native = name in {each.__name__ for each in NATIVE_PASSES}
    found: dict[str, str] = {}
    observe_passes(module, config, lambda at, model: found.setdefault(at, shown(model, is_native)), is_native)
    names = list(found)
    return found[names[names.index(name) - 1]], found[name]


def observe_passes(module: str, config: str, observer: Observer, native: bool) -> None:
    model = model_of(module, config, observer)
    if native:
        native_model_of(model, observer)


def shown(model: Model, whole: bool) -> str:
    """Actions and branches, which `split_next` is about; or all that is evaluated, but for the initial predicate."""
    head, *paragraphs = print_model(model).rstrip("\n").split("\n\n")
    actions = [line for line in head.splitlines() if line.startswith("action ")]
    left = [each for each in paragraphs if each.startswith("branch ") or (whole and not each.startswith("init "))]
    return "\n\n".join(("\n".join(actions), *left)) + "\n"


if os.environ.get("GRISTMILL_UPDATE_GOLDEN"):
    for each in FOLDER.glob("*.md"):
        update(each)


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.title)
def test_a_pass_makes_of_a_model_what_it_says(case: Case) -> None:
    assert written(case) == case.text


@pytest.mark.parametrize("each", [*PASSES, *dict.fromkeys(NATIVE_PASSES)], ids=lambda each: each.__name__)
def test_every_pass_has_a_suite(each: object) -> None:
    assert (FOLDER / f"{each.__name__}.md").exists()  # type: ignore[attr-defined]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.title)
def test_the_text_of_the_ir_is_the_same_whenever_it_is_printed(case: Case) -> None:
    texts: list[str] = []
    for _ in range(2):
        observe_passes(
            case.block("tla"), case.block("cfg"), lambda name, model: texts.append(name + print_model(model)), True
        )
    assert texts[: len(texts) // 2] == texts[len(texts) // 2 :]
