"""The modules Json, IOUtils and CSV: files, processes and the environment."""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gristmill.evaluate.context import Context
from gristmill.evaluate.primitives.arguments import pairs, sequence, string, truth, wrong
from gristmill.evaluate.primitives.registry import primitive
from gristmill.values import (
    EvaluationError,
    Fn,
    Value,
    current,
    is_function,
    is_record,
    is_set,
    make_record,
    make_tuple,
    ordered,
    show,
)
from gristmill.values.json import from_itf, from_json, to_itf, to_json
from gristmill.values.sets import explicit

# --- text ------------------------------------------------------------------------------------------------------------


def _text(value: str) -> str:
    current().register(value)
    return value


def _dump(thing: Any) -> str:
    return json.dumps(thing, ensure_ascii=False, separators=(",", ":"))


def _file(path: Value, operator: str, action: Callable[[Path], Any]) -> Any:
    try:
        return action(Path(string(path, operator)))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise EvaluationError(
            "file-error", f"{operator}: the file {{path}}: {{reason}}", path=path, reason=reason
        ) from None


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


# --- Json ------------------------------------------------------------------------------------------------------------


@primitive("Json!ToJson")
def json_text(value: Value) -> Value:
    return _text(_dump(to_json(value)))


@primitive("Json!ToJsonArray")
def json_array_text(value: Value) -> Value:
    if is_set(value):
        items: Sequence[Value] = ordered(explicit(value))
    else:
        items = [each for _, each in pairs(value, "ToJsonArray")]
    return _text(_dump([to_json(item) for item in items]))


@primitive("Json!ToJsonObject")
def json_object_text(value: Value) -> Value:
    """TLC counts the positions of a sequence from 0 here."""
    if type(value) is tuple:
        return _text(_dump({str(index): to_json(each) for index, each in enumerate(value)}))
    if type(value) is not Fn:
        wrong("ToJsonObject", "a function", value)
    return _text(_dump(to_json(value)))


@primitive("Json!JsonSerialize", boolean=True, effects="once", outside=True)
def json_serialize(path: Value, value: Value) -> bool:
    if not is_function(value) or (type(value) is Fn and not is_record(value)):
        wrong("JsonSerialize", "a sequence or a record", value)
    _file(path, "JsonSerialize", lambda file: _write(file, _dump(to_json(value))))
    return True


@primitive("Json!JsonDeserialize", effects="once")
def json_deserialize(path: Value) -> Value:
    return from_json(json.loads(_file(path, "JsonDeserialize", _read)))


@primitive("Json!ndJsonSerialize", boolean=True, effects="once", outside=True)
def nd_json_serialize(path: Value, values: Value) -> bool:
    lines = "".join(_dump(to_json(value)) + "\n" for value in sequence(values, "ndJsonSerialize"))
    _file(path, "ndJsonSerialize", lambda file: _write(file, lines))
    return True


@primitive("Json!ndJsonDeserialize", effects="once")
def nd_json_deserialize(path: Value) -> Value:
    lines = _file(path, "ndJsonDeserialize", _read).splitlines()
    return make_tuple(from_json(json.loads(line)) for line in lines if line.strip())


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


# --- IOUtils ---------------------------------------------------------------------------------------------------------


@primitive("IOUtils!IOSerialize", boolean=True, effects="once", outside=True)
def io_serialize(value: Value, path: Value, compress: Value) -> bool:
    """In ITF: TLC's own format is bound to its internal tables."""
    data = _dump(to_itf(value)).encode()
    _file(path, "IOSerialize", lambda file: file.write_bytes(zlib.compress(data) if truth(compress) else data))
    return True


@primitive("IOUtils!IODeserialize", effects="once")
def io_deserialize(path: Value, compressed: Value) -> Value:
    data = _file(path, "IODeserialize", Path.read_bytes)
    return from_itf(json.loads(zlib.decompress(data) if truth(compressed) else data))


def _outcome(code: int, output: str, errors: str) -> Value:
    return make_record({"exitValue": code, "stdout": _text(output), "stderr": _text(errors)})


@primitive("IOUtils!Serialize", effects="once", outside=True)
def serialize(value: Value, path: Value, options: Value) -> Value:
    settings = dict(pairs(options, "Serialize"))
    form = settings.get("format")
    if form == "TXT":
        text = string(value, "Serialize")
    elif form == "NDJSON":
        text = "".join(_dump(to_json(each)) + "\n" for each in sequence(value, "Serialize"))
    else:
        wrong("Serialize", 'a format, "TXT" or "NDJSON",', options)
    mode = "a" if "APPEND" in settings.get("openOptions", ()) else "w"
    try:
        with open(string(path, "Serialize"), mode, encoding=_charset(settings)) as file:
            file.write(text)
    except (OSError, LookupError, UnicodeError) as error:
        return _outcome(1, "", f"Serialize error writing to the file: {error}")
    return _outcome(0, "Finish writing to the file with success!", "")


@primitive("IOUtils!Deserialize", effects="once")
def deserialize(path: Value, options: Value) -> Value:
    settings = dict(pairs(options, "Deserialize"))
    if settings.get("format") != "TXT":
        wrong("Deserialize", 'the format "TXT"', options)
    try:
        return _outcome(0, Path(string(path, "Deserialize")).read_text(encoding=_charset(settings)), "")
    except (OSError, LookupError, UnicodeError) as error:
        return _outcome(1, "", f"Deserialize error reading from the file: {error}")


def _charset(settings: dict[Value, Value]) -> str:
    return str(settings.get("charset", "UTF-8"))


@primitive("IOUtils!atoi")
def atoi(text: Value) -> Value:
    if type(text) is not str or not re.fullmatch(r"[+-]?[0-9]+", text):
        wrong("atoi", "the text of an integer", text)
    return int(text)


@primitive("IOUtils!IOEnv", effects="once")
def environment() -> Value:
    return make_record({_text(name): _text(value) for name, value in os.environ.items()})


@primitive("IOUtils!IOExec", context=True, effects="always", outside=True)
def execute(context: Context, command: Value) -> Value:
    return _run(context, _words(command, "IOExec"), {})


@primitive("IOUtils!IOEnvExec", context=True, effects="always", outside=True)
def execute_with(context: Context, env: Value, command: Value) -> Value:
    return _run(context, _words(command, "IOEnvExec"), _variables(env))


@primitive("IOUtils!IOExecTemplate", context=True, effects="always", outside=True)
def execute_template(context: Context, template: Value, parameters: Value) -> Value:
    return _run(context, _filled(template, parameters, "IOExecTemplate"), {})


@primitive("IOUtils!IOEnvExecTemplate", context=True, effects="always", outside=True)
def execute_template_with(context: Context, env: Value, template: Value, parameters: Value) -> Value:
    return _run(context, _filled(template, parameters, "IOEnvExecTemplate"), _variables(env))


def _words(command: Value, operator: str) -> list[str]:
    return [string(word, operator) for word in sequence(command, operator)]


def _filled(template: Value, parameters: Value, operator: str) -> list[str]:
    values = _words(parameters, operator)
    return [format_text(word, values) for word in _words(template, operator)]


def _variables(env: Value) -> dict[str, str]:
    found = pairs(env, "IOEnvExec")
    return {string(name, "IOEnvExec"): value if type(value) is str else show(value) for name, value in found}


def _run(context: Context, command: list[str], env: dict[str, str]) -> Value:
    if not context.allow_execution:
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


@primitive("CSV!CSVWrite", boolean=True, effects="once", outside=True)
def csv_write(template: Value, values: Value, path: Value) -> bool:
    shown = [show(value) for value in sequence(values, "CSVWrite")]
    line = format_text(string(template, "CSVWrite"), shown)
    _file(path, "CSVWrite", lambda file: _append(file, line + "\n"))
    return True


@primitive("CSV!CSVWriteRecord", boolean=True, effects="once", outside=True)
def csv_write_record(record: Value, delimiter: Value, headers: Value, path: Value) -> bool:
    if type(record) is not Fn or not is_record(record):
        wrong("CSVWriteRecord", "a record", record)
    between = string(delimiter, "CSVWriteRecord")
    lines = between.join(record) + "\n" if truth(headers) else ""
    lines += between.join(map(show, record.values())) + "\n"
    _file(path, "CSVWriteRecord", lambda file: _append(file, lines))
    return True


@primitive("CSV!CSVRead", effects="once")
def csv_read(columns: Value, delimiter: Value, path: Value) -> Value:
    names = [string(name, "CSVRead") for name in sequence(columns, "CSVRead")]
    split = re.compile(string(delimiter, "CSVRead"))
    return make_tuple(
        make_record(dict(zip(names, map(_text, split.split(line)), strict=False))) for line in _lines(path, "CSVRead")
    )


@primitive("CSV!CSVRecords", effects="always", outside=True)
def csv_records(path: Value) -> Value:
    return len(_lines(path, "CSVRecords"))


def _lines(path: Value, operator: str) -> list[str]:
    """A file that does not exist has none."""
    return _file(path, operator, lambda file: _read(file).splitlines() if file.exists() else [])  # type: ignore[no-any-return]
