"""`60s`, `2m`, `1.5h`: how long something may take."""

from __future__ import annotations

import re

import click

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


class Duration(click.ParamType[float]):
    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float | int):
            return float(value)
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smh]?)\s*", str(value))
        if found is None:
            self.fail(f"{value!r} is no time; write 60s, 2m or 1h", param, ctx)
        return float(found[1]) * _UNITS[found[2]]
