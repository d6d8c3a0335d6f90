"""The modules Json, IOUtils and CSV: files, processes and the environment."""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from gristmill.library.arguments import pairs, sequence, string, truth, wrong
from gristmill.library.declaration import ALIKE, CALLBACK, DOUBTFUL, OPERATORS, UNNAMED, Operator
from gristmill.library.effects import NONE, Effect
from gristmill.library.run import Run
from gristmill.values import (
    EvaluationError,
    Fn,
    Value,
    current,
    evaluated,
    is_function,
    is_record,
    is_set,
    make_record,
    make_tuple,
    ordered,
    show,
)
from gristmill.values.json import from_itf, from_json, to_itf, to_json
from gristmill.values.operations.sets import explicit

# --- text ------------------------------------------------------------------------------------------------------------


def _text(value: str) -> str:
    current().register(value)
    return value


def _dump(thing: Any) -> str:
    return json.dumps(thing, ensure_ascii=False, separators=(",", ":"))


T = TypeVar("T")


def _file(path: Value, file: Path, operator: str, action: Callable[[Path], T]) -> T:
    try:
        return action(file)
    except (OSError, ValueError, RecursionError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise EvaluationError(
            "file-error", f"{operator}: the file {{path}}: {{reason}}", path=path, reason=reason
        ) from None


def _reading(context: Run, path: Value, operator: str, action: Callable[[Path], T]) -> T:
    return _file(path, context.permissions.path_to_read(string(path, operator), operator), operator, action)


def _writing(context: Run, path: Value, operator: str, action: Callable[[Path], object]) -> None:
    _file(path, context.permissions.path_to_write(string(path, operator), operator), operator, action)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


# --- Json ------------------------------------------------------------------------------------------------------------


@Operator("Json", "ToJson", effects=Effect.MAKES_NAMES, equivariance=DOUBTFUL, c=CALLBACK)
def json_text(value: Value) -> Value:
    return _text(_dump(to_json(value)))


@Operator("Json", "ToJsonArray", effects=Effect.MAKES_NAMES, equivariance=DOUBTFUL, c=CALLBACK)
def json_array_text(value: Value) -> Value:
    if is_set(value):
        items: Sequence[Value] = ordered(explicit(value))
    else:
        items = [each for _, each in pairs(value, "ToJsonArray")]
    return _text(_dump([to_json(item) for item in items]))


@Operator("Json", "ToJsonObject", effects=Effect.MAKES_NAMES, equivariance=DOUBTFUL, c=CALLBACK)
def json_object_text(value: Value) -> Value:
    """TLC counts the positions of a sequence from 0 here."""
    if type(value) is tuple:
        return _text(_dump({str(index): to_json(each) for index, each in enumerate(value)}))
    if type(value) is not Fn:
        wrong("ToJsonObject", "a function", value)
    return _text(_dump(to_json(value)))


@Operator(
    "Json", "JsonSerialize", effects=Effect.WRITES_FILES, equivariance=DOUBTFUL, c=CALLBACK, boolean=True, context=True
)
def json_serialize(context: Run, path: Value, value: Value) -> bool:
    if not is_function(value) or (type(value) is Fn and not is_record(value)):
        wrong("JsonSerialize", "a sequence or a record", value)
    _writing(context, path, "JsonSerialize", lambda file: _write(file, _dump(to_json(value))))
    return True


@Operator("Json", "JsonDeserialize", effects=Effect.READS_FILES, equivariance=DOUBTFUL, c=CALLBACK, context=True)
def json_deserialize(context: Run, path: Value) -> Value:
    return _reading(context, path, "JsonDeserialize", lambda file: from_json(json.loads(_read(file))))


@Operator(
    "Json",
    "ndJsonSerialize",
    effects=Effect.WRITES_FILES,
    equivariance=DOUBTFUL,
    c=CALLBACK,
    boolean=True,
    context=True,
)
def nd_json_serialize(context: Run, path: Value, values: Value) -> bool:
    lines = "".join(_dump(to_json(value)) + "\n" for value in sequence(values, "ndJsonSerialize"))
    _writing(context, path, "ndJsonSerialize", lambda file: _write(file, lines))
    return True


@Operator("Json", "ndJsonDeserialize", effects=Effect.READS_FILES, equivariance=DOUBTFUL, c=CALLBACK, context=True)
def nd_json_deserialize(context: Run, path: Value) -> Value:
    return _reading(context, path, "ndJsonDeserialize", lambda file: _values(_read(file).splitlines()))


def _values(lines: Sequence[str]) -> Value:
    return make_tuple(from_json(json.loads(line)) for line in lines if line.strip())


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


# --- IOUtils ---------------------------------------------------------------------------------------------------------


@Operator(
    "IOUtils", "IOSerialize", effects=Effect.WRITES_FILES, equivariance=DOUBTFUL, c=CALLBACK, boolean=True, context=True
)
def io_serialize(context: Run, value: Value, path: Value, compress: Value) -> bool:
    """In ITF: TLC's own format is bound to its internal tables."""
    data = _dump(to_itf(value)).encode()
    written = zlib.compress(data) if truth(compress) else data
    _writing(context, path, "IOSerialize", lambda file: file.write_bytes(written))
    return True


@Operator("IOUtils", "IODeserialize", effects=Effect.READS_FILES, equivariance=DOUBTFUL, c=CALLBACK, context=True)
def io_deserialize(context: Run, path: Value, compressed: Value) -> Value:
    return _reading(context, path, "IODeserialize", lambda file: _from_bytes(file.read_bytes(), truth(compressed)))


def _from_bytes(data: bytes, compressed: bool) -> Value:
    try:
        return from_itf(json.loads(zlib.decompress(data) if compressed else data))
    except (ValueError, LookupError, TypeError, zlib.error):
        what = "compressed ITF" if compressed else "ITF"
        raise ValueError(f"it has no value in {what}; files that TLC has written cannot be read") from None


def _outcome(code: int, output: str, errors: str) -> Value:
    return make_record({"exitValue": code, "stdout": _text(output), "stderr": _text(errors)})


@Operator("IOUtils", "Serialize", effects=Effect.WRITES_FILES, equivariance=DOUBTFUL, c=CALLBACK, context=True)
def serialize(context: Run, value: Value, path: Value, options: Value) -> Value:
    settings = dict(pairs(options, "Serialize"))
    form = settings.get("format")
    if form == "TXT":
        text = string(value, "Serialize")
    elif form == "NDJSON":
        text = "".join(_dump(to_json(each)) + "\n" for each in sequence(value, "Serialize"))
    else:
        wrong("Serialize", 'a format, "TXT" or "NDJSON",', options)
    file = context.permissions.path_to_write(string(path, "Serialize"), "Serialize")
    mode = "a" if "APPEND" in sequence(settings.get("openOptions", ()), "Serialize") else "w"
    try:
        with file.open(mode, encoding=_charset(settings)) as stream:
            stream.write(text)
    except (OSError, LookupError, UnicodeError) as error:
        return _outcome(1, "", f"Serialize error writing to the file: {error}")
    return _outcome(0, "Finish writing to the file with success!", "")


@Operator("IOUtils", "Deserialize", effects=Effect.READS_FILES, equivariance=DOUBTFUL, c=CALLBACK, context=True)
def deserialize(context: Run, path: Value, options: Value) -> Value:
    settings = dict(pairs(options, "Deserialize"))
    if settings.get("format") != "TXT":
        wrong("Deserialize", 'the format "TXT"', options)
    file = context.permissions.path_to_read(string(path, "Deserialize"), "Deserialize")
    try:
        return _outcome(0, file.read_text(encoding=_charset(settings)), "")
    except (OSError, LookupError, UnicodeError) as error:
        return _outcome(1, "", f"Deserialize error reading from the file: {error}")


def _charset(settings: dict[Value, Value]) -> str:
    return str(settings.get("charset", "UTF-8"))


@Operator("IOUtils", "atoi", effects=NONE, equivariance=ALIKE, c=CALLBACK)
def atoi(text: Value) -> Value:
    if type(text) is not str or not re.fullmatch(r"[+-]?[0-9]+", text):
        wrong("atoi", "the text of an integer", text)
    return int(text)


@Operator("IOUtils", "IOEnv", effects=Effect.READS_ENVIRONMENT, equivariance=ALIKE, c=CALLBACK, context=True)
def environment(context: Run) -> Value:
    """Which does not change while we run."""
    return make_record({_text(name): _text(value) for name, value in context.permissions.variables().items()})


@Operator(UNNAMED, "IOEnv[]", effects=Effect.READS_ENVIRONMENT, equivariance=ALIKE, c=CALLBACK, context=True)
def variable(context: Run, name: Value) -> Value:
    """`IOEnv[name]`, which need not show the others."""
    return _text(context.permissions.variable(string(name, "IOEnv")))


@Operator(
    UNNAMED, "IOEnv?", effects=Effect.READS_ENVIRONMENT, equivariance=ALIKE, c=CALLBACK, boolean=True, context=True
)
def is_variable(context: Run, name: Value) -> bool:
    """`name \\in DOMAIN IOEnv`."""
    return context.permissions.has_variable(string(name, "IOEnv"))


@Operator("IOUtils", "IOExec", effects=Effect.RUNS_PROGRAMS, equivariance=DOUBTFUL, c=CALLBACK, context=True)
def execute(context: Run, command: Value) -> Value:
    return _run(context, _words(command, "IOExec"), {})


@Operator("IOUtils", "IOEnvExec", effects=Effect.RUNS_PROGRAMS, equivariance=DOUBTFUL, c=CALLBACK, context=True)
def execute_with(context: Run, env: Value, command: Value) -> Value:
    return _run(context, _words(command, "IOEnvExec"), _variables(env))


@Operator("IOUtils", "IOExecTemplate", effects=Effect.RUNS_PROGRAMS, equivariance=DOUBTFUL, c=CALLBACK, context=True)
def execute_template(context: Run, template: Value, parameters: Value) -> Value:
    return _run(context, _filled(template, parameters, "IOExecTemplate"), {})


@Operator("IOUtils", "IOEnvExecTemplate", effects=Effect.RUNS_PROGRAMS, equivariance=DOUBTFUL, c=CALLBACK, context=True)
def execute_template_with(context: Run, env: Value, template: Value, parameters: Value) -> Value:
    return _run(context, _filled(template, parameters, "IOEnvExecTemplate"), _variables(env))


def _words(command: Value, operator: str) -> list[str]:
    return [string(word, operator) for word in sequence(command, operator)]


def _filled(template: Value, parameters: Value, operator: str) -> list[str]:
    values = _words(parameters, operator)
    return [format_text(word, values) for word in _words(template, operator)]


def _variables(env: Value) -> dict[str, str]:
    found = pairs(env, "IOEnvExec")
    return {string(name, "IOEnvExec"): value if type(value) is str else show(evaluated(value)) for name, value in found}


def _run(context: Run, command: list[str], env: dict[str, str]) -> Value:
    if not context.permissions.execute:
        raise EvaluationError(
            "execution-not-allowed",
            "the specification wants to run {command}, which is not allowed",
            command=tuple(command),
        )
    import subprocess  # hardly any specification runs programs, and every run would wait for this

    try:
        done = subprocess.run(command, env={**os.environ, **env}, capture_output=True, check=False)
    except OSError as error:
        reason = error.strerror or str(error)
        raise EvaluationError(
            "execution-failed", "{command} cannot be run: {reason}", command=tuple(command), reason=reason
        ) from None
    return _outcome(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


# --- CSV -------------------------------------------------------------------------------------------------------------

_MARK = re.compile(r"%(?:(%)|(n)|(?:([0-9]+)\$)?-?[0-9]*s)")


def format_text(template: str, values: Sequence[str]) -> str:
    """Java's format strings, as far as strings are concerned: %s, %1$s, %n and %%."""
    following = iter(values)

    def fill(mark: re.Match[str]) -> str:
        percent, newline, position = mark.groups()
        if percent or newline:
            return "%" if percent else "\n"
        if position is None:
            return next(following, "null")
        return values[int(position) - 1] if 0 < int(position) <= len(values) else "null"

    return _MARK.sub(fill, template)


@Operator("CSV", "CSVWrite", effects=Effect.WRITES_FILES, equivariance=DOUBTFUL, c=CALLBACK, boolean=True, context=True)
def csv_write(context: Run, template: Value, values: Value, path: Value) -> bool:
    shown = [show(evaluated(value)) for value in sequence(values, "CSVWrite")]
    line = format_text(string(template, "CSVWrite"), shown)
    _writing(context, path, "CSVWrite", lambda file: _append(file, line + "\n"))
    return True


@Operator(
    "CSV", "CSVWriteRecord", effects=Effect.WRITES_FILES, equivariance=DOUBTFUL, c=CALLBACK, boolean=True, context=True
)
def csv_write_record(context: Run, record: Value, delimiter: Value, headers: Value, path: Value) -> bool:
    if type(record) is not Fn or not is_record(record):
        wrong("CSVWriteRecord", "a record", record)
    between = string(delimiter, "CSVWriteRecord")
    lines = between.join(map(str, record)) + "\n" if truth(headers) else ""
    lines += between.join(map(show, record.values())) + "\n"
    _writing(context, path, "CSVWriteRecord", lambda file: _append(file, lines))
    return True


@Operator("CSV", "CSVRead", effects=Effect.READS_FILES, equivariance=DOUBTFUL, c=CALLBACK, context=True)
def csv_read(context: Run, columns: Value, delimiter: Value, path: Value) -> Value:
    names = [string(name, "CSVRead") for name in sequence(columns, "CSVRead")]
    split = re.compile(string(delimiter, "CSVRead"))
    lines = _lines(context, path, "CSVRead")
    return make_tuple(make_record(dict(zip(names, map(_text, split.split(line)), strict=False))) for line in lines)


@Operator("CSV", "CSVRecords", effects=Effect.READS_WRITTEN_FILES, equivariance=DOUBTFUL, c=CALLBACK, context=True)
def csv_records(context: Run, path: Value) -> Value:
    return len(_lines(context, path, "CSVRecords"))


def _lines(context: Run, path: Value, operator: str) -> list[str]:
    """A file that does not exist has none."""
    return _reading(context, path, operator, lambda file: _read(file).splitlines() if file.exists() else [])


# Lowering replaces questions about one variable by these, so that the whole environment need not be exposed.
ENVIRONMENT: Final[Operator] = OPERATORS["IOUtils", "IOEnv"]
VARIABLE: Final[Operator] = OPERATORS[UNNAMED, "IOEnv[]"]
IS_VARIABLE: Final[Operator] = OPERATORS[UNNAMED, "IOEnv?"]
