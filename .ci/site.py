"""What MkDocs does not do by itself: every page has its place, and links that leave the documentation become words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

SECTIONS = {"how-to": "How to", "reference": "Reference", "book": "The book", "": "More"}
_OUTSIDE = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+)([^)#]+)(?:#[^)]*)?\)")


def on_config(config: Any) -> Any:
    """Pages that the navigation does not name follow in the section of their folder: none is left out."""
    docs = Path(config["docs_dir"])
    named = set(_named(config["nav"]))
    for page in sorted(docs.rglob("*.md")):
        name = page.relative_to(docs).as_posix()
        if name not in named:
            folder = name.split("/")[0] if "/" in name else ""
            _section(config["nav"], SECTIONS.get(folder, folder.capitalize())).append(name)
    return config


def _named(nav: Any) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    return [name for each in (nav.values() if isinstance(nav, dict) else nav) for name in _named(each)]


def _section(nav: list[Any], title: str) -> list[Any]:
    for entry in nav:
        if isinstance(entry, dict) and isinstance(entry.get(title), list):
            return entry[title]
    nav.append({title: []})
    return nav[-1][title]


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """A link to a file of the repository is its words and its path: the site has no such file."""
    folder = Path(page.file.src_uri).parent
    docs = Path(config["docs_dir"])

    def plain(found: re.Match[str]) -> str:
        target = (docs / folder / found[2] / found[3]).resolve()
        if target.is_relative_to(docs.resolve()):
            return found[0]
        return found[1] if found[1].strip("`") in found[3] else f"{found[1]} (`{found[3]}`)"

    return _OUTSIDE.sub(plain, markdown)
