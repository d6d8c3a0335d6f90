"""What a run found, in TLC's messages; and the code of the one that ended it."""

from __future__ import annotations

from collections.abc import Iterator

from gristmill.cli.tlc import codes
from gristmill.cli.tlc.lasso import closing_step
from gristmill.cli.tlc.messages import NONE, Messages
from gristmill.cli.tlc.places import Definitions, nested_place, place
from gristmill.cli.tlc.sany import sentence
from gristmill.cli.tlc.states import print_trace, state_text
from gristmill.ir.model import Model, Named
from gristmill.search.result import Result, Violation
from gristmill.search.verdict import CONFIGURATION_ERROR, PARSE_ERROR
from gristmill.source import Diagnostic

_UNEXPECTED = (
    "TLC threw an unexpected exception.\n"
    "This was probably caused by an error in the spec or model.\n"
    "See the User Output or TLC Console for clues to what happened.\n"
    "The exception was a {kind}\n: {text}"
)
_TEMPORAL = "Evaluating a temporal formula failed"


class Outcome:
    """Prints what is wrong. `model`: None if there was none to check; `is_loaded`: whether modules have been read."""

    def __init__(
        self,
        messages: Messages,
        model: Model | None,
        definitions: Definitions,
        differences: bool,
        is_loaded: bool = True,
    ) -> None:
        self._messages, self._model, self._is_loaded = messages, model, is_loaded
        self._definitions, self._differences = definitions, differences

    def tell(self, result: Result) -> int:
        """Returns the code of the message that ends the run; 0 if nothing is wrong."""
        if result.verdict == "ok":
            return 0
        if result.status == PARSE_ERROR:
            return self._messages.error(codes.PARSING_FAILED, "Parsing or semantic analysis failed.")
        if result.status == CONFIGURATION_ERROR:
            return self._misconfigured(_first_error(result))
        if result.verdict == "incomplete":
            return self._messages.error(codes.GENERAL, f"The search is not complete: {result.message}.")
        found = [self._violation(each, result) for each in result.violations]
        return found[0] if found else self._violation(_as_violation(result), result)

    # ------------------------------------------------------------------------------------------------- violations

    def _violation(self, found: Violation, result: Result) -> int:
        match found.verdict:
            case "invariant":
                return self._invariant(found)
            case "property":
                return self._property(found)
            case "liveness":
                return self._liveness(found)
            case "deadlock":
                return self._with_behaviour(codes.DEADLOCK, "Deadlock reached.", found)
            case "assumption":
                return self._messages.error(codes.ASSUMPTION_FALSE, f"Assumption {self._where(found)} is false.")
            case "postcondition":
                return self._postcondition(found)
            case _:
                return self._failure(found, result)

    def _invariant(self, found: Violation) -> int:
        if found.trace is not None and len(found.trace) == 1:
            text = f"Invariant {found.property} is violated by the initial state:\n{self._first_state(found)}"
            return self._messages.error(codes.INVARIANT_INITIALLY, text)
        return self._with_behaviour(codes.INVARIANT, f"Invariant {found.property} is violated.", found)

    def _property(self, found: Violation) -> int:
        if found.trace is not None and len(found.trace) == 1:
            text = f"Property {found.property} is violated by the initial state:\n{self._first_state(found)}"
            return self._messages.error(codes.PROPERTY_INITIALLY, text)
        return self._with_behaviour(codes.ACTION_PROPERTY, f"Action property {found.property} is violated.", found)

    def _liveness(self, found: Violation) -> int:
        text = f"Temporal property {found.property} was violated.\n"
        self._messages.error(codes.TEMPORAL_PROPERTY, text)
        self._messages.error(codes.COUNTEREXAMPLE, "The following behavior constitutes a counter-example:\n")
        self._print_trace(found)
        return codes.TEMPORAL_PROPERTY

    def _postcondition(self, found: Violation) -> int:
        text = f"Postcondition {found.property or found.message} at {self._where(found)} is false."
        return self._messages.error(codes.POSTCONDITION_FALSE, text)

    def _first_state(self, found: Violation) -> str:
        assert found.trace is not None
        with found.trace.world.active():
            return state_text(found.trace.steps[0].shown)

    def _with_behaviour(self, code: int, text: str, found: Violation) -> int:
        self._messages.error(code, text)
        if found.trace is not None:
            self._messages.error(codes.BEHAVIOR, "The behavior up to this point is:")
            self._print_trace(found)
        return code

    def _print_trace(self, found: Violation) -> None:
        if found.trace is not None:
            closing = closing_step(found.trace, self._model)
            print_trace(self._messages, found.trace, self._definitions, self._differences, closing)
        if found.count > 1:
            self._messages.note(f"{found.property or found.message}: found {found.count:,} times, shown once")

    # --------------------------------------------------------------------------------------------------- failures

    def _failure(self, found: Violation, result: Result) -> int:
        """Something could not be evaluated."""
        diagnostic = _first_error(result)
        text = found.message if diagnostic is None else _with_place(diagnostic)
        if diagnostic is not None and found.trace is None and diagnostic.id in codes.REFUSED:
            return self._messages.error(codes.REFUSED[diagnostic.id], text)
        if diagnostic is not None and diagnostic.id in codes.FAILURES and found.property is None:
            own = self._with_behaviour(codes.FAILURES[diagnostic.id], text, found)
            self._nested(diagnostic)
            return own
        code, prefix = self._evaluated(found, diagnostic)
        of_states = code in (codes.INVARIANT_FAILED, codes.ACTION_PROPERTY_FAILED)
        if of_states and found.trace is not None and len(found.trace) == 1:
            state = self._first_state(found)
            self._messages.error(codes.INITIAL_STATE, f"{text}\nWhile working on the initial state:\n{state}")
            self._nested(diagnostic)
            return codes.NESTED_EXPRESSIONS
        if code:
            return self._with_behaviour(code, f"{prefix}\n{text}" if prefix else text, found)
        if found.verdict == "assert":
            self._with_behaviour(codes.ASSERT, _assertion(found.message), found)
            self._nested(diagnostic)
            return codes.ASSERT
        kind = "java.lang.RuntimeException"
        self._with_behaviour(codes.GENERAL, _UNEXPECTED.format(kind=kind, text=text), found)
        self._nested(diagnostic)
        is_told = diagnostic is not None and not found.message.startswith(_TEMPORAL)
        return codes.NESTED_EXPRESSIONS if is_told else codes.GENERAL

    def _evaluated(self, found: Violation, diagnostic: Diagnostic | None) -> tuple[int, str]:
        """What was being evaluated, if it has a name that TLC tells."""
        model, name = self._model, found.property
        if model is None:
            return 0, ""
        for each in model.assumptions:
            if each.name == name or (found.trace is None and _is_in(diagnostic, each)):
                return codes.ASSUMPTION_FAILED, f"Evaluating assumption {place(each.code.span)} failed."
        if name is None:
            return 0, ""
        if name in [each.name for each in model.postconditions]:
            return codes.POSTCONDITION_FAILED, f"Evaluating postcondition {name} failed."
        if name in [each.name for each in model.invariants]:
            return codes.INVARIANT_FAILED, f"Evaluating invariant {name} failed."
        if name in [each.name for each in (*model.implied_inits, *model.implied_actions)]:
            return codes.ACTION_PROPERTY_FAILED, f"Evaluating action property {name} failed."
        return 0, ""

    def _nested(self, diagnostic: Diagnostic | None) -> None:
        if diagnostic is None or diagnostic.span is None:
            return
        spans = [*(label.span for label in reversed(diagnostic.labels)), diagnostic.span]
        places = "\n".join(f"{number}. {nested_place(span)}" for number, span in enumerate(spans))
        text = "The error occurred when TLC was evaluating the nested\nexpressions at the following positions:\n"
        self._messages.error(codes.NESTED_EXPRESSIONS, f"{text}{places}\n")

    # ---------------------------------------------------------------------------------------------- configuration

    def _misconfigured(self, diagnostic: Diagnostic | None) -> int:
        if diagnostic is None:
            return self._messages.error(codes.GENERAL, "The configuration is not usable.")
        if not self._is_loaded:
            line = diagnostic.span.line if diagnostic.span is not None else 1
            text = f"TLC found an error in the configuration file at line {line}\n{sentence(diagnostic)}"
            return self._unreadable(codes.CONFIGURATION_SYNTAX, text)
        code = codes.UNHANDLED.get(diagnostic.id) or codes.CONFIGURATION.get(diagnostic.id, codes.NOT_DEFINED)
        return self._messages.error(code, sentence(diagnostic) + ".")

    def _unreadable(self, code: int, text: str) -> int:
        inner = self._messages.formatted(code, NONE, text)
        kind = "tlc2.tool.ConfigFileException"
        return self._messages.error(codes.GENERAL, _UNEXPECTED.format(kind=kind, text=inner))

    def missing_configuration(self, file: str) -> int:
        text = (
            f"TLC encountered the following error when trying to read the configuration file {file}:\nFile not found."
        )
        return self._unreadable(codes.CONFIGURATION_UNREADABLE, text)

    def _where(self, found: Violation) -> str:
        return str(found.property) if found.location is None else place(found.location)


def _is_in(diagnostic: Diagnostic | None, formula: Named) -> bool:
    span, around = None if diagnostic is None else diagnostic.span, formula.code.span
    return span is not None and span.file is around.file and around.start <= span.start and span.end <= around.end


def _as_violation(result: Result) -> Violation:
    return Violation(result.verdict, result.property, result.message, result.trace)


def _first_error(result: Result) -> Diagnostic | None:
    return next(_errors(result), None)


def _errors(result: Result) -> Iterator[Diagnostic]:
    return (each for each in result.diagnostics if each.severity == "error")


def _with_place(diagnostic: Diagnostic) -> str:
    return diagnostic.message if diagnostic.span is None else f"{diagnostic.message}\n{place(diagnostic.span)}"


def _assertion(message: str) -> str:
    value = message.partition("the assertion is false: ")[2]
    return f"The first argument of Assert evaluated to FALSE; the second argument was:\n{value or message}"
