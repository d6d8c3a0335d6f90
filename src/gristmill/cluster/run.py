"""`check --cluster`: one run, whose states actors explore."""

from __future__ import annotations

from gristmill.checking.options import Options
from gristmill.checking.run import Check, watched
from gristmill.cluster.connection import import_ray, parse_address
from gristmill.cluster.errors import ClusterError
from gristmill.cluster.explorer import ClusterExplorer, refused
from gristmill.cluster.refusals import refuse
from gristmill.ir.model import Model
from gristmill.search import Result


def check(model: Model, options: Options) -> Result:
    """The verdict on a model, by the cluster that `options` name."""
    assert options.cluster is not None
    try:
        import_ray(parse_address(options.cluster, options.workers))
        with model.world.active():
            refuse(model, options)
    except ClusterError as error:
        return refused(error)
    with model.world.active():
        return watched(lambda: Check(model, options, ClusterExplorer).run(), options.limits)
