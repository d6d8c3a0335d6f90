"""Results for continuous integration: JUnit's XML, and annotations as GitHub Actions reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from gristmill.report.terminal import render_result
from gristmill.search.result import Result
from gristmill.source import Diagnostic, Span
from gristmill.source.render import render_text


@dataclass(frozen=True, slots=True)
class Case:
    """A result under a name: of a configuration, or of one value of a sweep."""

    name: str
    result: Result


def junit(module: str, cases: Sequence[Case]) -> str:
    """A test suite for a module, a test for each case. What did not finish or could not begin is an error."""
    failed = sum(_tag(case.result) == "failure" for case in cases)
    broken = sum(_tag(case.result) == "error" for case in cases)
    counts = {"tests": str(len(cases)), "failures": str(failed), "errors": str(broken)}
    suite = ElementTree.Element("testsuite", {"name": module, **counts, "time": _seconds(cases)})
    for case in cases:
        took = f"{case.result.seconds:.3f}"
        test = ElementTree.SubElement(suite, "testcase", {"classname": module, "name": case.name, "time": took})
        if (tag := _tag(case.result)) is not None:
            told = {"type": case.result.verdict, "message": case.result.message}
            ElementTree.SubElement(test, tag, told).text = _printable(_text(case.result))
    suites = ElementTree.Element("testsuites", {**counts, "time": _seconds(cases)})
    suites.append(suite)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def github_annotations(file: str, result: Result) -> Iterator[str]:
    """Commands of GitHub Actions: what is wrong, each where it stands in the files of the repository."""
    for each in result.diagnostics:
        yield _command(each.severity, each.span, file, _said(each))
    if result.ok:
        return
    for found in result.violations:
        if not any(each.severity == "error" for each in result.diagnostics):
            yield _command("error", found.location, file, found.message)
    if not result.violations and not result.diagnostics:
        yield _command("error", None, file, result.message)


def _tag(result: Result) -> str | None:
    if result.ok:
        return None
    return "error" if result.verdict in ("error", "incomplete") else "failure"


def _seconds(cases: Sequence[Case]) -> str:
    return f"{sum(case.result.seconds for case in cases):.3f}"


def _text(result: Result) -> str:
    messages = f"{render_text(result.diagnostics)}\n" if result.diagnostics else ""
    return messages + render_result(result)


def _printable(text: str) -> str:
    """XML has no form for control characters."""
    return "".join(each if each in "\n\t" or each >= " " else "\ufffd" for each in text)


def _said(diagnostic: Diagnostic) -> str:
    return diagnostic.message + (f" ({diagnostic.help})" if diagnostic.help else "")


def _command(severity: str, span: Span | None, file: str, text: str) -> str:
    """`::error file=M.tla,line=3,col=5::…`; the file that was checked, if no place is known."""
    level = {"error": "error", "warning": "warning"}.get(severity, "notice")
    where = f"file={_escaped(file)}"
    if span is not None:
        line, column = span.file.position(span.start)
        where = f"file={_escaped(span.file.path)},line={line},col={column}"
    return f"::{level} {where}::{_escaped_text(text)}"


def _escaped_text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped(text: str) -> str:
    return _escaped_text(text).replace(":", "%3A").replace(",", "%2C")
