"""The compiled program of a partition, for one layout of states."""

from __future__ import annotations

import hashlib
from functools import partial

from gristmill.checking.native import NativeExplorer
from gristmill.checking.options import Options
from gristmill.checking.run import Check
from gristmill.cluster.task import Learnt, Task
from gristmill.ir.model import Model
from gristmill.native.codec import decode_several
from gristmill.native.plan.layout import widths
from gristmill.native.run.better import Better
from gristmill.native.run.engine import Engine
from gristmill.native.run.partition import NativePartition
from gristmill.reference.model import SpecificationModel
from gristmill.reference.permutations import permutation_group

_LATER = 2.0  # times as long, each actor waits before it compiles a better version: most find that of another


class Opened:
    """`digest`: of the program, which is the same in every process that has learnt the same."""

    def __init__(self, model: Model, task: Task, number: int, learnt: Learnt) -> None:
        """Within the model's world, where there is room on the stack."""
        check = Check(model, Options(engine="native"), NativeExplorer)
        for constant in model.constants:
            check.evaluator.value(constant.code)()
        explorer = check.explorer
        assert isinstance(explorer, NativeExplorer)
        searchable = SpecificationModel(model, check.evaluator)
        if not task.symmetric:
            searchable.symmetry = None
        group = permutation_group(model.symmetry, check.evaluator) if task.symmetric else []
        samples = [tuple(decode_several(each, len(model.variables))) for each in learnt.samples]
        explorer.without_bits = frozenset(range(len(model.variables)))  # each process would number elements otherwise
        found = explorer.layout(samples, learnt.leaves, group)
        generated = explorer.generate(found, learnt.widths or widths(samples, found, learnt.least))
        self.digest = hashlib.sha256(f"{generated.widths}{generated.text}".encode()).hexdigest()
        self.engine = Engine(generated, explorer.compile(generated), searchable)
        if group:
            self.engine.set_symmetry(group)
        self.native = NativePartition(self.engine, task.owners, number, group)
        self._explorer = explorer
        self._better = explorer.better
        if self._better is not None:
            patience = int(len(generated.text) * (1 + _LATER * number))
            self._better = Better(patience, partial(explorer.begin_better, generated.text))

    def improve(self) -> None:
        """Between two levels: the version of the program that runs faster takes over, when it is there."""
        better = self._better
        if better is None or not better.is_ready():
            return
        self._better = None
        path = better.path()
        if path is not None:
            self.engine.exchange(path)

    def close(self) -> None:
        self.native.close()
        self._explorer.close()
        self.engine.close()
