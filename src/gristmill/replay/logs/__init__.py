"""Log validation: runs that an implementation has recorded itself, judged by the model."""

from gristmill.replay.logs.document import log_document
from gristmill.replay.logs.reading import read_log_mapping
from gristmill.replay.logs.render import render
from gristmill.replay.logs.result import LogResult
from gristmill.replay.logs.validate import validate

__all__ = ["LogResult", "log_document", "read_log_mapping", "render", "validate"]
