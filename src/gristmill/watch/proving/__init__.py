"""What the monitor takes for granted, checked on a bounded model (`[watch.bounded]`).

- Which messages may have their effect as soon as they arrive, so that nothing is lost by it (appendix A of the paper).
- Which variables only grow.
"""

from gristmill.watch.proving.bounded import Bounded, Checked, checked, with_known
from gristmill.watch.proving.reductions import AtOnce

__all__ = ["AtOnce", "Bounded", "Checked", "checked", "with_known"]
