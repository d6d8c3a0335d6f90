"""Which runs are not for a cluster, with what to do instead."""

from __future__ import annotations

from collections.abc import Iterator

from gristmill.checking.options import Options
from gristmill.checking.suitability import in_order, why_not
from gristmill.cluster.errors import ClusterError
from gristmill.ir.model import Model
from gristmill.ir.walk import SEARCHED, bodies, operators_in
from gristmill.library import Effect

_HARMLESS = Effect.CATCHES_ERRORS
_ALONE = "check it on one machine, without --cluster"


def refuse(model: Model, options: Options) -> None:
    """Raises `ClusterError`, with the first reason there is."""
    for message, help in (*_of_model(model), *_of_options(options)):
        raise ClusterError(message, help)
    reason = why_not(model, options)
    if reason is not None:
        raise ClusterError(f"--cluster needs the native engine, and this model is not for it: {reason}", _ALONE)


def _of_model(model: Model) -> Iterator[tuple[str, str]]:
    if model.temporal:
        names = ", ".join(dict.fromkeys(each.name for each in model.temporal))
        yield (
            f"--cluster checks safety, and {names} is temporal",
            "leave it out of this run, and check it on one machine, without --cluster, perhaps with smaller constants",
        )
    if model.view is not None:
        yield (
            f"--cluster cannot check with the VIEW {model.view.name}: what is explored would depend on which of "
            "the states with the same view is found first",
            f"leave the VIEW out, or {_ALONE}",
        )
    if model.obligations:
        yield "--cluster does not check what is asked of single actions", _ALONE
    if model.postconditions:
        yield f"--cluster cannot evaluate the postcondition {model.postconditions[0].name}", _ALONE
    if model.asks_search:
        yield "--cluster cannot tell a specification how far the search is, which this one asks (TLCGet)", _ALONE
    if in_order(model) or any(
        operator.effects & ~_HARMLESS for body in bodies(model, SEARCHED) for operator in operators_in(body)
    ):
        yield (
            "evaluating this specification has effects (output, registers, files, new strings, chance), which several "
            "machines cannot have in order",
            f"take them out (Print, TLCSet, ToString, RandomElement, …), or {_ALONE}",
        )


def _of_options(options: Options) -> Iterator[tuple[str, str]]:
    for is_asked, name in (
        (options.keep_going, "--continue"),
        (options.keep_graph, "--dump"),
        (options.expression_coverage, "--coverage"),
        (options.engine == "python", "--engine python"),
        (options.fingerprint, "--fingerprint"),
        (options.resume, "--resume"),
        (options.profile, "--profile"),
        (options.each_obligation, "each obligation"),
    ):
        if is_asked:
            yield f"--cluster does not go together with {name}", "leave one of them out"
