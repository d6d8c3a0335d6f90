"""A result for a notebook: the page of `check --html`, in a frame of its own, so that no styles meet."""

from __future__ import annotations

from html import escape

from gristmill.report.page.result import result_page
from gristmill.report.terminal import is_earned
from gristmill.search.result import Result

_LOW, _HIGH = "24rem", "38rem"  # without and with a behaviour to step through


def render_html(result: Result) -> str:
    """The frame may run the page's scripts, and nothing else: it has no access to the notebook."""
    height = _HIGH if result.trace is not None or result.graph is not None else _LOW
    tone = "no error" if is_earned(result) else result.verdict
    page = escape(result_page(result, result.module or "Result"))
    return (
        f'<iframe title="gristmill: {escape(tone)}" sandbox="allow-scripts" srcdoc="{page}" '
        f'style="width:100%;height:{height};border:1px solid #8884;border-radius:8px;resize:vertical;overflow:auto">'
        "</iframe>"
    )
