"""Methods that come back before they have done anything, or are called again: messages that are dropped, where they
would be taken in, or where they have been read.
"""

from __future__ import annotations

from typing import Any

from gristmill.replay.jvm import protocol
from gristmill.replay.jvm.descriptors import readable
from gristmill.replay.jvm.machine import Machine
from gristmill.replay.jvm.paths import PathError
from gristmill.replay.jvm.setting import Setting
from gristmill.replay.jvm.tasks import Task, ask
from gristmill.replay.jvm.wire import Command

NOTHING = "void"  # what a method returns that returns nothing
AGAIN = "again"  # how a method is called that has been called before


def come_back(machine: Machine, setting: Setting, thread: int, descriptor: str, value: Any) -> Task[None]:
    """The method that the thread is held in returns this value as soon as the thread goes on. Raises `PathError`."""
    returned = descriptor.partition(")")[2]
    if returned == "V":
        if value != NOTHING:
            raise PathError("the method returns nothing", f"write return = '\"{NOTHING}\"'")
        coded = b""
    else:
        if value == NOTHING and returned != "Ljava/lang/String;":
            raise PathError(f"the method returns a value of the type {readable(returned)}")
        coded = yield from setting.coded(returned, value)
    data = machine.pack.object_id(thread) + returned[0].encode() + coded
    yield from ask(Command(protocol.THREAD_FORCE_EARLY_RETURN, data))


def call_again(machine: Machine, thread: int, how: Any) -> Task[None]:
    """The method that the thread is held in is called again, with the same arguments, as soon as the thread goes on.

    Raises `PathError`.
    """
    if how != AGAIN:
        raise PathError(f"a method cannot be called {how!r}", f"write call = '\"{AGAIN}\"'")
    (frame, *_) = yield from machine.threads.frames(thread)
    yield from ask(Command(protocol.FRAME_POP, machine.pack.object_id(thread) + machine.pack.frame_id(frame.id)))
