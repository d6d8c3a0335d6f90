"""Values read from a running machine by paths. See `paths` for what they mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from gristmill.replay.jvm.calls import CallFailed, Calls
from gristmill.replay.jvm.classes import Loaded
from gristmill.replay.jvm.containers import contents_of
from gristmill.replay.jvm.contents import Contents
from gristmill.replay.jvm.objects import Objects
from gristmill.replay.jvm.paths import Call, Each, Index, Key, Name, Path, PathError, Step
from gristmill.replay.jvm.plain import holder_field, plain, plain_contents, unwrapped
from gristmill.replay.jvm.points import suggestion, unaliased
from gristmill.replay.jvm.tasks import Task, together
from gristmill.replay.jvm.wire import Ref, Value

Start: TypeAlias = Value | tuple[str, ...]
Leaf: TypeAlias = Callable[[Value], Task[Any]]

_COUNTS = ("size", "length")
_OF_CONTENTS = (*_COUNTS, "keys", "values")


class Reading:
    """Values at one moment. `thread`: an event-suspended one, which may call methods. `is_class`: whether there is a
    class of this name, which may not be loaded yet.
    """

    def __init__(
        self,
        objects: Objects,
        calls: Calls,
        aliases: Mapping[str, str],
        is_class: Callable[[str], bool] = lambda name: False,
        thread: int | None = None,
    ) -> None:
        self._objects, self._calls, self._aliases, self._is_class = objects, calls, aliases, is_class
        self.thread = thread
        self._roots: dict[str, list[Ref]] = {}

    # ----------------------------------------------------------------------------------------------------- beginnings

    def first_of(self, paths: Sequence[Path], starts: Mapping[str, Start]) -> Task[Any]:
        """The first alternative that is not null, as a plain value. A field that is not there is null, but in the last.

        Raises `PathError`.
        """
        for number, path in enumerate(paths, 1):
            try:
                value = yield from self.read(path, starts, self._plain)
            except PathError:
                if number == len(paths):
                    raise
                continue
            if value is not None:
                return value
        return None

    def read(self, path: Path, starts: Mapping[str, Start], leaf: Leaf) -> Task[Any]:
        if path.first is not None and path.first in starts:
            return (yield from self._from(starts[path.first], path.steps[1:], leaf))
        names = _leading_names(path)
        of, length = yield from self.class_at(names)
        if of is not None:
            return (yield from self._from_class(of, path.steps[length:], leaf))
        if any(self._is_class(unaliased(".".join(names[:count]), self._aliases)) for count in range(1, len(names) + 1)):
            return None  # it has not been loaded yet, so there are no values of it
        known = [*starts, *self._aliases]
        what = f"{path.first!r} is neither a variable here nor a class" if names else f"{path.text!r} has no beginning"
        raise PathError(what, suggestion(path.first or "", known))

    def from_root(self, root: str, paths: Sequence[Path], leaf: Leaf | None = None) -> Task[Any]:
        """Of the first instance of a class; of all, if the class is followed by `[*]`."""
        found = yield from self.instances(root)
        if root.endswith("[*]"):
            return tuple((yield from together(self._first_from(each, paths, leaf) for each in found)))
        return (yield from self._first_from(found[0], paths, leaf)) if found else None

    def instances(self, root: str) -> Task[list[Ref]]:
        """All that are alive now; asked for once, as the whole heap may have to be looked at."""
        name = unaliased(root.removesuffix("[*]"), self._aliases)
        if name not in self._roots:
            classes = yield from self._objects.classes.named(name)
            if not classes and not self._is_class(name):
                raise PathError(f"no class {name} is loaded")
            found: list[Ref] = []
            for of in classes:
                found += yield from self._objects.instances(of)
            self._roots[name] = found
        return self._roots[name]

    def _first_from(self, ref: Ref, paths: Sequence[Path], leaf: Leaf | None) -> Task[Any]:
        for number, path in enumerate(paths, 1):
            try:
                value = yield from self.follow(ref, path.steps, leaf or self._plain)
            except PathError:
                if number == len(paths):
                    raise
                continue
            if value is not None:
                return value
        return None

    def _from(self, start: Start, steps: Sequence[Step], leaf: Leaf) -> Task[Any]:
        if isinstance(start, tuple) and not isinstance(start, Ref):
            return start if not steps else _of_names(start, steps)
        return (yield from self.follow(start, steps, leaf))

    def class_at(self, names: Sequence[str]) -> Task[tuple[Loaded | None, int]]:
        """The class that the longest beginning of a path means, and how many names that is."""
        for length in range(len(names), 0, -1):
            found = yield from self._objects.classes.named(unaliased(".".join(names[:length]), self._aliases))
            if found:
                return found[0], length
        return None, 0

    def _from_class(self, of: Loaded, steps: Sequence[Step], leaf: Leaf) -> Task[Any]:
        if not steps:
            raise PathError(f"{of.name} is a class: name a static field, or a field of its instances")
        first, rest = steps[0], steps[1:]
        if isinstance(first, Name) and first.name in of.statics:
            value = yield from self._objects.static(of.statics[first.name])
            return (yield from self.follow(value, rest, leaf))
        if isinstance(first, Call):
            value = yield from self._calling(lambda thread: self._calls.static(of, first.method, thread), first)
            return (yield from self.follow(value, rest, leaf))
        found = yield from self._objects.instances(of)
        if isinstance(first, Each):
            return tuple((yield from together(self.follow(each, rest, leaf) for each in found)))
        return (yield from self.follow(found[0], steps, leaf)) if found else None

    # ---------------------------------------------------------------------------------------------------------- steps

    def follow(self, value: Value, steps: Sequence[Step], leaf: Leaf) -> Task[Any]:
        for number, step in enumerate(steps):
            if value is None:
                return None
            if not isinstance(value, Ref):
                raise PathError(f"{value!r} has no {step}")
            if isinstance(step, Each):
                return (yield from self._each(value, step, steps[number + 1 :], leaf))
            if isinstance(step, Name) and step.name in _OF_CONTENTS:
                special = yield from self._of_contents(value, step.name)
                if special is not None and isinstance(special, Contents):
                    return (yield from self._of_several(special, steps[number + 1 :], leaf))
                if special is not None:
                    return special
            value = yield from self._step(value, step)
        return (yield from leaf(value))

    def _each(self, ref: Ref, step: Each, rest: Sequence[Step], leaf: Leaf) -> Task[Any]:
        contents = yield from self._contents(ref, step)
        values = yield from together(self.follow(each, rest, leaf) for each in contents.values)
        if not step.keys:
            return tuple(values)
        if contents.keys is None:
            raise PathError("{*} is of maps; write [*] for the elements of a collection")
        keys = yield from together(self._plain(each) for each in contents.keys)
        return dict(zip(keys, values, strict=True))

    def _of_contents(self, ref: Ref, name: str) -> Task[Contents | int | None]:
        """`.size` and its like; None if the object is no collection, and it is a field."""
        if ref.tag == "s" and name in _COUNTS:
            return len((yield from self._objects.text(ref)))
        contents = yield from contents_of(self._objects, ref)
        if contents is None:
            return None
        if name in _COUNTS:
            return len(contents.values)
        if contents.keys is None:
            raise PathError(f".{name} is of maps")
        return Contents("set", contents.keys) if name == "keys" else Contents("sequence", contents.values)

    def _of_several(self, contents: Contents, rest: Sequence[Step], leaf: Leaf) -> Task[Any]:
        """What follows `.keys` or `.values`."""
        if not rest:
            return (yield from plain_contents(self._objects, contents))
        if rest[0] != Each(False):
            raise PathError(f"write [*] behind .keys or .values, not {rest[0]}")
        return tuple((yield from together(self.follow(each, rest[1:], leaf) for each in contents.values)))

    def _contents(self, ref: Ref, step: Step) -> Task[Contents]:
        contents = yield from contents_of(self._objects, ref)
        if contents is not None:
            return contents
        of = yield from self._objects.type_of(ref)
        if holder_field(of) is not None:
            inner = yield from unwrapped(self._objects, ref, of)
            return (yield from self._contents(inner, step)) if isinstance(inner, Ref) else Contents("sequence", [])
        raise PathError(f"{of.name} is no collection that can be read, so it has no {step}")

    def _step(self, ref: Ref, step: Step) -> Task[Value]:
        if isinstance(step, Name):
            return (yield from self._field(ref, step.name))
        if isinstance(step, Call):
            return (yield from self._call(ref, step))
        contents = yield from self._contents(ref, step)
        if isinstance(step, Index):
            inside = -len(contents.values) <= step.number < len(contents.values)
            return contents.values[step.number] if inside else None
        assert isinstance(step, Key)
        if contents.keys is None:
            raise PathError(f"{step} is of maps; write [n] for an element of a collection")
        keys = yield from together(self._plain(each) for each in contents.keys)
        return next((value for key, value in zip(keys, contents.values, strict=True) if key == step.key), None)

    def _field(self, ref: Ref, name: str) -> Task[Value]:
        of = yield from self._objects.type_of(ref)
        if name in of.fields:
            (value,) = yield from self._objects.fields(ref, [of.fields[name]])
            return value
        if name in of.statics:
            return (yield from self._objects.static(of.statics[name]))
        if holder_field(of) is not None:
            inner = yield from unwrapped(self._objects, ref, of)
            return (yield from self._inside(inner, Name(name)))
        raise PathError(f"{of.name} has no field {name}", suggestion(name, [*of.fields, *of.statics]))

    def _call(self, ref: Ref, step: Call) -> Task[Value]:
        of = yield from self._objects.type_of(ref)
        if holder_field(of) is not None:
            own = yield from self._objects.classes.find_method(of, step.method, "()")
            if own is None:
                return (yield from self._inside((yield from unwrapped(self._objects, ref, of)), step))
        return (yield from self._calling(lambda thread: self._calls.method(ref, step.method, thread), step))

    def _inside(self, value: Value, step: Step) -> Task[Value]:
        """A step that a holder does not have: what it holds has it."""
        if value is not None and not isinstance(value, Ref):
            raise PathError(f"{value!r} has no {step}")
        return None if value is None else (yield from self._step(value, step))

    def _calling(self, call: Callable[[int], Task[Value]], step: Call) -> Task[Value]:
        if self.thread is None:
            help = "hold a thread of the node at some point, or read a field instead"
            raise PathError(f"{step} cannot be called, as no thread of the node is held at a point", help)
        try:
            return (yield from call(self.thread))
        except CallFailed as failure:
            raise PathError(failure.message, failure.help) from None

    def plain_at(self, ref: Ref, path: Path) -> Task[Any]:
        """The plain value at a path from an object."""
        return (yield from self.follow(ref, path.steps, self._plain))

    def _plain(self, value: Value) -> Task[Any]:
        return (yield from plain(self._objects, value))


def raw(value: Value) -> Task[Value]:
    """A leaf: the object itself, to be changed or called."""
    return value
    yield []


def _leading_names(path: Path) -> list[str]:
    names = []
    for step in path.steps:
        if not isinstance(step, Name):
            break
        names.append(step.name)
    return names


def _of_names(names: tuple[str, ...], steps: Sequence[Step]) -> str | None:
    """Of `callers`."""
    if len(steps) == 1 and isinstance(steps[0], Index):
        return names[steps[0].number] if -len(names) <= steps[0].number < len(names) else None
    raise PathError("callers are names of methods: write callers, or callers[0]")
