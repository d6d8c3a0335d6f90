"""The numbers of the Java Debug Wire Protocol that are used here, named much as its documentation names them."""

from __future__ import annotations

from typing import Final

HANDSHAKE: Final = b"JDWP-Handshake"

# Commands: (set, number).
VM_VERSION: Final = (1, 1)
VM_CLASSES_BY_SIGNATURE: Final = (1, 2)
VM_ALL_CLASSES: Final = (1, 3)
VM_ALL_THREADS: Final = (1, 4)
VM_ID_SIZES: Final = (1, 7)
VM_RESUME: Final = (1, 9)
VM_CREATE_STRING: Final = (1, 11)
VM_DISPOSE_OBJECTS: Final = (1, 14)
TYPE_SIGNATURE: Final = (2, 1)
TYPE_MODIFIERS: Final = (2, 3)
TYPE_FIELDS: Final = (2, 4)
TYPE_METHODS: Final = (2, 5)
TYPE_GET_VALUES: Final = (2, 6)
TYPE_INTERFACES: Final = (2, 10)
TYPE_INSTANCES: Final = (2, 16)
TYPE_CONSTANT_POOL: Final = (2, 18)
CLASS_SUPERCLASS: Final = (3, 1)
CLASS_SET_VALUES: Final = (3, 2)
CLASS_INVOKE_METHOD: Final = (3, 3)
CLASS_NEW_INSTANCE: Final = (3, 4)
METHOD_LINE_TABLE: Final = (6, 1)
METHOD_VARIABLE_TABLE: Final = (6, 2)
METHOD_BYTECODES: Final = (6, 3)
OBJECT_REFERENCE_TYPE: Final = (9, 1)
OBJECT_GET_VALUES: Final = (9, 2)
OBJECT_SET_VALUES: Final = (9, 3)
OBJECT_INVOKE_METHOD: Final = (9, 6)
STRING_VALUE: Final = (10, 1)
THREAD_NAME: Final = (11, 1)
THREAD_SUSPEND: Final = (11, 2)
THREAD_RESUME: Final = (11, 3)
THREAD_STATUS: Final = (11, 4)
THREAD_GROUP: Final = (11, 5)
THREAD_FRAMES: Final = (11, 6)
THREAD_STOP: Final = (11, 10)
THREAD_INTERRUPT: Final = (11, 11)
THREAD_FORCE_EARLY_RETURN: Final = (11, 14)
GROUP_NAME: Final = (12, 1)
ARRAY_LENGTH: Final = (13, 1)
ARRAY_GET_VALUES: Final = (13, 2)
EVENT_SET: Final = (15, 1)
EVENT_CLEAR: Final = (15, 2)
FRAME_GET_VALUES: Final = (16, 1)
FRAME_SET_VALUES: Final = (16, 2)
FRAME_THIS: Final = (16, 3)
FRAME_POP: Final = (16, 4)
CLASS_OBJECT_REFLECTED_TYPE: Final = (17, 1)
EVENT_COMPOSITE: Final = (64, 100)

# Kinds of events.
BREAKPOINT: Final = 2
EXCEPTION: Final = 4
CLASS_PREPARE: Final = 8
VM_START: Final = 90
VM_DEATH: Final = 99

# What is suspended by an event.
SUSPEND_NONE: Final = 0
SUSPEND_EVENT_THREAD: Final = 1
SUSPEND_ALL: Final = 2

# What narrows a request for events.
ONLY_THREAD: Final = 3
ONLY_CLASS_MATCH: Final = 5
ONLY_LOCATION: Final = 7
ONLY_EXCEPTION: Final = 8

INVOKE_SINGLE_THREADED: Final = 1

STATIC: Final = 0x0008  # of modifiers

THREAD_STATES: Final = {0: "dead", 1: "running", 2: "sleeping", 3: "waiting for a lock", 4: "waiting"}

INVALID_THREAD: Final = 10
INVALID_OBJECT: Final = 20
ABSENT_INFORMATION: Final = 101
VM_DEAD: Final = 112
NATIVE_METHOD: Final = 511

ERRORS: Final = {
    INVALID_THREAD: "there is no such thread any more",
    13: "the thread is not suspended",
    14: "the thread is suspended already",
    INVALID_OBJECT: "the object has been collected",
    21: "there is no such class any more",
    22: "the class is not prepared yet",
    23: "there is no such method",
    24: "there is no such place in the method",
    25: "there is no such field",
    30: "there is no such frame any more",
    31: "there are no more frames",
    32: "the frame is of native code",
    34: "the value has another type",
    35: "there is no such local variable",
    99: "the virtual machine does not have this function",
    ABSENT_INFORMATION: "the class was compiled without tables of lines and local variables",
    103: "an argument is not as the protocol has it",
    VM_DEAD: "the virtual machine has ended",
    113: "something is wrong inside of the virtual machine",
    502: "the thread is calling a method already",
    506: "there are fewer elements",
    507: "the class is of another kind",
    NATIVE_METHOD: "the method is native, and has no code",
}
