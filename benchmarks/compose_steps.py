"""What the step obligations of `compose verify` cost: each composition of a system explored with and without them.

    python benchmarks/compose_steps.py SYSTEM.toml [NAME=VALUE ...]

Both runs explore the same model, natively with one worker; the unknowns that stand for variables of others, and the
VIEW that forgets them, are in both. Processor time of the run without the compiler, and steps a second of it.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Sequence
from dataclasses import replace

from gristmill.checking.engines import check
from gristmill.checking.options import Options
from gristmill.compose.manifest.reading import read_manifest
from gristmill.compose.verify.steps import duties_of
from gristmill.compose.verify.units import plan_of
from gristmill.compose.verify.visible import views_of
from gristmill.ir.model import Model
from gristmill.search import Result


def main(manifest: str, constants: Sequence[str]) -> None:
    system = read_manifest(manifest)
    given = dict(text.split("=", 1) for text in constants)
    views = views_of(plan_of(replace(system, constants={**system.constants, **given})))
    print(f"{'composition':<24}{'states':>10}{'steps':>12}{'without':>10}{'with':>10}{'ratio':>7}{'steps/s':>12}")
    for view in views.views:
        if view.composed is None:
            continue
        model = replace(duties_of(views, view).model, invariants=())
        before, _ = explored(replace(model, obligations=()))
        after, result = explored(model)
        rate = result.generated / after if after else 0.0
        row = f"{f'C({view.unit.name})':<24}{result.distinct:>10,}{result.generated:>12,}"
        print(f"{row}{before:>9.2f}s{after:>9.2f}s{after / before if before else 0.0:>7.2f}{rate:>12,.0f}")


def explored(model: Model) -> tuple[float, Result]:
    """Processor seconds: a first run compiles, and the second finds that done."""
    options = Options(engine="native", each_obligation=True)
    check(model, options)
    started = _processor_seconds()
    result = check(model, options)
    return _processor_seconds() - started, result


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
