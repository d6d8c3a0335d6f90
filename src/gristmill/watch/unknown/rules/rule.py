"""The form of a rule: evaluation, node, frame and path in, and what is known of the value out."""

from collections.abc import Callable
from typing import TypeAlias

from gristmill.watch.unknown.values import Part

Rule: TypeAlias = Callable[..., Part]
