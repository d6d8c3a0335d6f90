"""Name resolution: from syntax trees to modules in which every name is known to denote something.

Modules are resolved when the first one needs them, dependencies first. A file is walked once, in the order of its text:
what is not known yet cannot be named.
"""

from __future__ import annotations

from dataclasses import replace

from gristmill.modules.loader import LoadedFile
from gristmill.modules.resolve.definitions import DEFINITIONS, check_all_defined
from gristmill.modules.resolve.expressions import EXPRESSIONS
from gristmill.modules.resolve.instances import INSTANCES, find_module
from gristmill.modules.resolve.paths import PATHS, resolve_path
from gristmill.modules.resolve.proofs import PROOFS
from gristmill.modules.resolve.state import Handler, Program, Resolution, extends_class
from gristmill.modules.specification import ResolvedModule
from gristmill.modules.symbols import Constant, Symbol, Variable
from gristmill.source import Diagnostic, Span
from gristmill.syntax import tree


def resolve_root(program: Program) -> ResolvedModule | None:
    loaded = program.loader.load_root()
    return resolve_file(program, loaded, loaded.module.name if loaded.module else "")


def load_module(program: Program, name: str, span: Span, for_library: bool) -> ResolvedModule | None:
    """The module of a file, resolved. None, with a diagnostic, if it cannot be had."""
    shadowed = for_library and program.loader.is_shadowed(name)
    key = f"{name} (library)" if shadowed else name
    known = program.modules.get(key)
    if known is not None:
        return known
    if key in program.in_progress:
        program.diagnostics.append(_cycle(program, key, span))
        return None
    loaded = program.loader.load_from_library(name) if shadowed else program.loader.load(name)
    if loaded is None:
        program.diagnostics.append(program.loader.not_found(name, span))
        return None
    return resolve_file(program, loaded, key)


def _cycle(program: Program, name: str, span: Span) -> Diagnostic:
    path = [*program.in_progress[program.in_progress.index(name) :], name]
    if len(path) == 2:
        message = f"the module {name} depends on itself"
    else:
        message = f"these modules depend on each other: {' -> '.join(path)}"
    hint = "no module may extend or instantiate itself, even by way of others"
    return Diagnostic("module-cycle", message, span, help=hint)


def resolve_file(program: Program, loaded: LoadedFile, key: str) -> ResolvedModule | None:
    program.diagnostics += loaded.diagnostics
    if loaded.module is None:
        return None
    node = loaded.module
    module = ResolvedModule(node.name, node, loaded.file, is_library=loaded.is_library, tokens=loaded.tokens)
    # Behind a syntax error some definitions are missing: their users are not to blame.
    module.has_errors = module.names_unknown = any(d.severity == "error" for d in loaded.diagnostics)
    program.in_progress.append(key)
    resolve_module(Resolution(program, module, HANDLERS, load_module, resolve_path))
    program.in_progress.pop()
    program.modules[key] = module
    return module


def resolve_module(r: Resolution) -> None:
    r.scope.enter(r.module.names)
    for extended in r.module.node.extends:
        extend(r, extended)
    for unit in r.module.node.units:
        if r.section is not None and isinstance(unit, _NOT_IN_SECTION):
            not_in_section(r, unit)
        r.handlers[type(unit)](r, unit)
    check_all_defined(r)
    r.scope.leave()
    r.module.is_complete = True


def extend(r: Resolution, node: tree.Name) -> None:
    module = find_module(r, node.name, node.span)
    if module is None:
        return
    r.module.extends.append(module)
    for name, symbol in module.exports():
        known = r.module.names.get(name)
        weak = name in module.weak_names or passes_on_weakly(r.module)
        if known is None:
            r.scope.bind(name, symbol)
            if weak:
                r.module.weak_names.add(name)
        elif not weak and name in r.module.weak_names:
            r.bind(symbol)
        elif known is not symbol and not weak:
            extended_twice(r, node, known, symbol)
    for name, inner in module.modules.items():
        if name not in r.module.modules:
            r.module.modules[name] = inner
            r.scope.bind_module(name, inner)


# Until 2026 these modules kept what they use to themselves, by LOCAL INSTANCE; now they extend it. Specifications that
# define `Range` or `Max` beside them must stay as valid as those that get these names from them.
_ONCE_DISCREET = {"SequencesExt", "FiniteSetsExt", "Functions", "Graphs", "Relation"}


def passes_on_weakly(module: ResolvedModule) -> bool:
    """Whether the names that a module extends give way to any other meaning, where they are passed on."""
    return module.is_library and module.name in _ONCE_DISCREET


def extended_twice(r: Resolution, node: tree.Name, known: Symbol, symbol: Symbol) -> None:
    """Two extended modules have a name in common. The first one counts, if it is the same kind of thing."""
    same_class = extends_class(known) == extends_class(symbol)
    if same_class and r.is_same(known, symbol):
        return
    r.report(
        "extends-ambiguity" if same_class else "extends-conflict",
        f"`{symbol.name}` of {node.name} is not the same as `{known.name}` of a module extended before",
        node.span,
        "the first one is meant from here on" if same_class else None,
        (known.span, "the first one"),
        "warning" if same_class else "error",
    )


_NOT_IN_SECTION = (
    tree.VariableDeclaration,
    tree.ConstantDeclaration,
    tree.Module,
    tree.Theorem,
    tree.Assume,
    tree.UseOrHide,
)


def not_in_section(r: Resolution, unit: tree.Unit) -> None:
    waiting = [symbol for undefined in r.undefined for symbol in undefined]
    r.report(
        "not-in-recursive-section",
        f"only definitions may stand between the RECURSIVE declaration of `{waiting[0].name}` and its definition",
        unit.span,
        other=(waiting[0].span, "declared here"),
    )


def constants(r: Resolution, node: tree.ConstantDeclaration) -> None:
    for param in node.params:
        symbol = Constant(param.name, param.arity, r.module, param.span)
        r.note(param, symbol)
        r.declare(symbol, param.span)


def variables(r: Resolution, node: tree.VariableDeclaration) -> None:
    for name in node.names:
        symbol = Variable(name.name, r.module, name.span)
        r.note(name, symbol)
        r.declare(symbol, name.span)


def separator(r: Resolution, node: tree.Separator) -> None:
    pass


def nested_module(r: Resolution, node: tree.Module) -> None:
    """A module in a module sees what is known before it, and is itself known behind its end."""
    inner = ResolvedModule(node.name, node, r.module.file, r.module, r.module.is_library)
    inner.names_unknown = r.module.names_unknown
    resolve_module(replace(r, module=inner, undefined=[[]], section=None, frames=[]))
    r.module.has_errors |= inner.has_errors
    known = r.scope.modules.get(node.name) or r.program.modules.get(node.name)
    if known is not None:
        r.report(
            "module-redefined",
            f"there is another module `{node.name}` already",
            node.name_span,
            other=(known.node.name_span, "the other one"),
        )
        return
    r.module.modules[node.name] = inner
    r.scope.bind_module(node.name, inner)


UNITS: dict[type, Handler] = {
    tree.ConstantDeclaration: constants,
    tree.VariableDeclaration: variables,
    tree.Separator: separator,
    tree.Module: nested_module,
}

HANDLERS: dict[type, Handler] = {**EXPRESSIONS, **PATHS, **DEFINITIONS, **INSTANCES, **PROOFS, **UNITS}
