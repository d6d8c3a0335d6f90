"""A page as a whole: one file with its styles, scripts and data in it, light or dark."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from gristmill.report.page.markup import text

Static = tuple[str, str]  # a package, and the name of a file in its folder `static`

STYLES: tuple[Static, ...] = ((__package__, "page.css"), (__package__, "chart.css"))
SCRIPTS: tuple[Static, ...] = ((__package__, "theme.js"),)


def whole_page(
    *,
    title: str,
    verb: str,
    without_script: str,
    body: Sequence[str],
    data: str,
    styles: Sequence[Static],
    scripts: Sequence[Static],
) -> str:
    """`without_script`: what to tell those who have no JavaScript. `styles` and `scripts` come after what all share."""
    return "\n".join(
        (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{text(title)}</title><style>\n{_static([*STYLES, *styles])}</style></head>\n<body>",
            f'<header><span class="soft">gristmill {verb}</span>',
            '<button type="button" id="theme" title="Light or dark">◐</button></header>',
            f"<noscript><p>{without_script}</p></noscript>",
            "<main>",
            *body,
            "</main>",
            f'<script type="application/json" id="data">{data}</script>',
            f"<script>(() => {{\n{_static([*SCRIPTS, *scripts])}}})();</script></body></html>\n",
        )
    )


def script_json(document: Any) -> str:
    """For a `script` element: nothing in it can end the element, or begin a comment."""
    plain = json.dumps(document, separators=(",", ":"))
    return plain.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _static(names: Sequence[Static]) -> str:
    """Our own files, which stand in the page as they are."""
    return "".join((files(package) / "static" / name).read_text(encoding="utf-8") for package, name in names)
