"""From a specification and its configuration to a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from gristmill.evaluate.facts import EvaluatedFacts
from gristmill.ir.assemble import assemble
from gristmill.ir.model import Model
from gristmill.ir.passes import optimised
from gristmill.ir.passes.observers import Observer, with_verifier
from gristmill.loading import load
from gristmill.modules.api import Loaded
from gristmill.modules.appearance import register_words
from gristmill.modules.choices import Choices
from gristmill.modules.config import SECTIONS, Config, find_embedded_config, parse_config
from gristmill.modules.defaults import with_defaults
from gristmill.modules.proposal import proposed_configuration
from gristmill.modules.unasked import unasked
from gristmill.source import ConfigurationError, Diagnostic, SourceError, SourceFile, read_source
from gristmill.source.quick_dataclass import dataclass
from gristmill.source.stack import with_deep_stack
from gristmill.values import World

Source = str | Path | SourceFile
OnLoaded = Callable[[Loaded], None]


@dataclass(frozen=True, slots=True)
class Built:
    """A model, and what there is to say about its text that is no error. `folder`: that of the specification."""

    model: Model
    warnings: tuple[Diagnostic, ...]
    folder: Path | None = None
    name: str = ""


def build(
    source: Source,
    *,
    config: Source | None = None,
    search_path: Sequence[str | Path] = (),
    change: Callable[[Choices], Choices] = lambda choices: choices,
    observers: Sequence[Observer] = (),
    on_loaded: OnLoaded = lambda loaded: None,
) -> Built:
    """The model of a specification. `change` may put other choices in place of the configuration's.

    `observers` are shown the model as it was lowered, and after each pass over it; `on_loaded` is given the modules, or
    what is wrong with them, as soon as they have been read.

    `source` and `config` are files or texts; without `config` it is the file beside the module or the section inside
    it. Begins a run, with a world of its own: the order of strings is that of their appearance, so the configuration is
    read first, then what `change` adds, then the modules. Raises `SourceError`.
    """
    with World().active():
        lowered = _lowered(source, config, search_path, change, on_loaded)
        facts = EvaluatedFacts(lowered.model.variables)
        model = with_deep_stack(lambda: optimised(lowered.model, facts, with_verifier(*observers)))
        return replace(lowered, model=model)


def _lowered(
    source: Source,
    config: Source | None,
    search_path: Sequence[str | Path],
    change: Callable[[Choices], Choices],
    on_loaded: OnLoaded,
) -> Built:
    source, config = as_module(source), None if config is None else as_config(config)
    with _of_configuration():
        choices = change(read_choices(source, config))
    loaded, diagnostics = load(source, search_path)
    on_loaded(replace(loaded, diagnostics=tuple(diagnostics)))
    if loaded.specification is None:
        raise SourceError(errors_of(diagnostics) or diagnostics)
    register_words(loaded.specification)
    with _of_configuration():
        choices = with_defaults(choices, loaded.specification)
        model = assemble(loaded.specification, choices)
    model.unasked = unasked(loaded.specification, choices)
    folder = source.parent if isinstance(source, Path) else None
    return Built(model, tuple(diagnostics), folder, loaded.specification.root.name)


@contextmanager
def _of_configuration() -> Iterator[None]:
    try:
        yield
    except SourceError as error:
        raise ConfigurationError(error.diagnostics) from error


def errors_of(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    return [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]


# ---------------------------------------------------------------------------------------------------- files and texts


def as_source(source: Source, is_text: Callable[[str], bool]) -> Path | SourceFile:
    """Programs may hand in the text itself where a person names a file."""
    if isinstance(source, str):
        return SourceFile("<text>", source) if is_text(source) else Path(source)
    return source


def as_module(source: Source) -> Path | SourceFile:
    return as_source(source, _is_module)


def as_config(source: Source) -> Path | SourceFile:
    return as_source(source, _is_config)


def _is_module(text: str) -> bool:
    return "MODULE" in text and "----" in text


def _is_config(text: str) -> bool:
    """More than one line, or a section of one: `INVARIANT Safe`."""
    words = text.split()
    return "\n" in text or (len(words) > 1 and words[0] in SECTIONS)


# -------------------------------------------------------------------------------------------------- the configuration


def read_choices(module: Path | SourceFile, config: Path | SourceFile | None) -> Choices:
    """From the configuration, the one beside the module, or the one inside it; nothing if there is none."""
    if config is None and isinstance(module, Path) and module.name:  # `.` has none
        beside = module.with_suffix(".cfg")
        config = beside if beside.exists() else None
    if config is None:
        return _embedded_choices(module)
    if isinstance(config, Path):
        if config.suffix == ".tla":
            return _embedded_choices(config)
        config = read_source(config)
    return parsed(config).choices()


def has_configuration(module: Path, config: Source | None) -> bool:
    """Whether one was named, stands beside the module, or inside it; so it is where no module can be read."""
    if config is not None or not module.is_file() or module.with_suffix(".cfg").exists():
        return True
    try:
        source = read_source(module)
    except SourceError:
        return True
    return find_embedded_config(source, module.stem) is not None


def proposal(module: Path, search_path: Sequence[str | Path] = ()) -> str:
    """The text of a configuration for a module that has none. Raises `SourceError`."""
    with World().active():
        loaded, diagnostics = load(module, search_path)
        if loaded.specification is None:
            raise SourceError(errors_of(diagnostics) or diagnostics)
        return proposed_configuration(loaded.specification, with_defaults(Choices(), loaded.specification))


def _embedded_choices(module: Path | SourceFile) -> Choices:
    """`---- CONFIG name ----` in the file of a module."""
    if isinstance(module, Path):
        if not module.is_file():
            return Choices()  # reported when the module is loaded
        module = read_source(module)
    place = find_embedded_config(module, Path(module.path).stem)
    return Choices() if place is None else parsed(module, *place).choices()


def parsed(source: SourceFile, start: int = 0, end: int | None = None) -> Config:
    """Raises `SourceError`."""
    config, diagnostics = parse_config(source, start, end)
    if errors_of(diagnostics):
        raise SourceError(diagnostics)
    return config
