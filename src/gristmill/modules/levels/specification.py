"""Checks the levels of a specification, module by module, dependencies first."""

from __future__ import annotations

from collections.abc import Container

from gristmill.modules.levels.check import Handler, LevelCheck
from gristmill.modules.levels.definitions import DEFINITIONS, operator_levels
from gristmill.modules.levels.expressions import EXPRESSIONS
from gristmill.modules.levels.instances import check_instance, substituted
from gristmill.modules.levels.proofs import PROOFS
from gristmill.modules.resolve.state import Program
from gristmill.modules.specification import ResolvedModule
from gristmill.modules.symbols import Instance
from gristmill.syntax import tree

HANDLERS: dict[type, Handler] = {**EXPRESSIONS, **DEFINITIONS, **PROOFS}


def check_levels(program: Program, checked: Container[ResolvedModule] = ()) -> None:
    """Modules with errors, and those that depend on them, are left out: their names are not all known.

    `checked`: modules whose levels have been checked before.
    """
    check = LevelCheck(program, HANDLERS, operator_levels, substituted)
    broken: set[ResolvedModule] = set()
    for module in program.modules.values():
        if module.has_errors or any(_file_module(used) in broken for used in module.depends):
            broken.add(module)
        elif module not in checked:
            check_module(check, module)


def _file_module(module: ResolvedModule) -> ResolvedModule:
    while module.parent is not None:
        module = module.parent
    return module


def check_module(c: LevelCheck, module: ResolvedModule) -> None:
    for section in module.recursive_sections:
        c.sections.update((symbol, section) for symbol in section)
    for unit in module.node.units:
        match unit:
            case tree.Module():
                inner = module.modules.get(unit.name)
                if inner is not None and inner.node is unit:
                    check_module(c, inner)
            case tree.InstanceUnit():
                made = c.program.symbols.get(id(unit.instance))
                if isinstance(made, Instance):
                    check_instance(c, made)
            case tree.Theorem():
                module.theorem_level = max(module.theorem_level, c.expression(unit).level)
            case tree.ConstantDeclaration() | tree.VariableDeclaration() | tree.Separator():
                pass
            case _:
                c.expression(unit)
