"""What is verified together: the modules that one coarse grain stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gristmill.compose.system import Grain, Mix, System, holder


@dataclass(frozen=True, slots=True)
class Unit:
    """Modules with one coarse grain, mostly a single one. `fine`: the grains that it stands for."""

    name: str
    modules: tuple[str, ...]
    fine: Mix
    coarse: Grain

    @property
    def actions_of(self) -> Mix:
        """The coarse grain, for `also` of a composition."""
        return {self.coarse.module: self.coarse.name}


@dataclass(frozen=True, slots=True)
class Plan:
    """The mixes of an argument: S with all fine, A with all coarse, and C of each unit."""

    system: System
    fine: Mix
    coarse: Mix
    units: tuple[Unit, ...]

    def focused(self, unit: Unit) -> dict[str, str]:
        """C of a unit: it is fine, the others are coarse."""
        return {**self.coarse, **unit.fine}


def plan_of(system: System, fine: Mix | None = None, coarse: Mix | None = None) -> Plan:
    """Modules without a coarse grain are the same in all mixes, and need no argument."""
    finest = {**system.finest(), **(fine or {})}
    coarsest = {**system.coarsest(), **(coarse or {})}
    groups: dict[tuple[str, str], list[str]] = {}
    for module, name in coarsest.items():
        if name != finest[module]:
            groups.setdefault(holder(system.grain(module, name)), []).append(module)
    units = [_unit(system, key, modules, finest) for key, modules in groups.items()]
    return Plan(system, finest, coarsest, tuple(units))


def _unit(system: System, key: tuple[str, str], modules: list[str], finest: Mapping[str, str]) -> Unit:
    return Unit("+".join(modules), tuple(modules), {each: finest[each] for each in modules}, system.grain(*key))
