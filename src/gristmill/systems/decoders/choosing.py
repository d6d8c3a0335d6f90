"""Decoders by name, with their options."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gristmill.systems.decoders.conversation import Decoder, DecodingError
from gristmill.systems.decoders.declared import Jute, Protobuf
from gristmill.systems.decoders.etcd import Etcd
from gristmill.systems.decoders.framing import JsonLines, LengthPrefixed
from gristmill.systems.decoders.redisraft import RedisRaft
from gristmill.systems.decoders.resp import Resp
from gristmill.systems.decoders.zookeeper import ZooKeeper

_BY_NAME: Mapping[str, Callable[..., Decoder]] = {
    "etcd": Etcd,
    "json-lines": JsonLines,
    "jute": Jute,
    "length-prefixed": LengthPrefixed,
    "protobuf": Protobuf,
    "redis-raft": RedisRaft,
    "resp": Resp,
    "zookeeper": ZooKeeper,
}
NAMES = tuple(_BY_NAME)


def decoder_called(name: str, options: Mapping[str, Any], folder: Path) -> Decoder:
    """One of ours, or `FILE.py:Class` in a file of the user's, which is looked for in `folder`.

    Raises `DecodingError` if there is no such thing, or it does not have these options.
    """
    maker = _BY_NAME.get(name) or _own_class(name, folder)
    try:
        decoder = maker(**{key.replace("-", "_"): value for key, value in options.items()})
    except (TypeError, ValueError) as error:
        raise DecodingError(f"the decoder {name} cannot be made with these options: {error}") from None
    if not isinstance(decoder, Decoder):
        raise DecodingError(f"{name} is no gristmill.systems.decoders.Decoder")
    return decoder


def _own_class(name: str, folder: Path) -> Callable[..., Decoder]:
    file, _, called = name.rpartition(":")
    path = folder / file
    if not file or not path.is_file():
        raise DecodingError(f"there is no decoder {name!r}: it is one of {', '.join(NAMES)}, or FILE.py:Class")
    module_name = f"gristmill_decoder_{path.stem}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # dataclasses look for it
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise DecodingError(f"{path} cannot be loaded: {type(error).__name__}: {error}") from error
    found: Callable[..., Decoder] | None = getattr(module, called, None)
    if found is None:
        raise DecodingError(f"there is no {called} in {path}")
    return found
