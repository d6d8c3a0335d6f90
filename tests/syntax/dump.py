"""Trees as S-expressions, for people to read in golden files."""

import json
import re

from gristmill.syntax import tree

WIDTH = 100

# An atom, or a list with its brackets.
Form = str | tuple[str, list["Form"], str]


def dump(node: object) -> str:
    """A tree in as few lines as fit `WIDTH`; lists that do not are broken into one item a line."""
    return _text(_form(node), 0)


def _form(node: object) -> Form:
    match node:
        case tree.Name(name) | tree.StepName(name):
            return name
        case tree.Number(_, text) | tree.Decimal(text):
            return text
        case tree.String(value):
            return json.dumps(value, ensure_ascii=False)
        case tree.At():
            return "@"
        case tree.Apply(operator, args):
            return ("(", [operator.name, *map(_form, args)], ")")
        case tree.Junction(operator, items):
            return ("(", ["conjuncts" if operator == "/\\" else "disjuncts", *map(_form, items)], ")")
        case tree.Bound(names, is_tuple, domain):
            bound: list[Form] = [name.name for name in names]
            if is_tuple:
                bound = [("<<", bound, ">>")]
            return ("(", ["bound", *bound, *([":", _form(domain)] if domain is not None else [])], ")")
        case tree.Parameter(name, arity):
            return f"{name}/{arity}" if arity else name
        case tuple():
            return ("[", [_form(item) for item in node], "]")
        case str():
            return node
        case int():
            return str(node)
    return ("(", [_kind(node), *_fields(node)], ")")


def _kind(node: object) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", type(node).__name__).lower()


def _fields(node: object) -> list[Form]:
    """Truths by the name of their field, what is absent not at all."""
    forms: list[Form] = []
    for field in type(node).__match_args__:  # type: ignore[attr-defined]
        value = getattr(node, field)
        if field.endswith("span") or value in (None, False, ""):
            continue
        forms.append(field if value is True else _form(value))
    return forms


def _text(form: Form, indent: int) -> str:
    flat = _flat(form)
    if isinstance(form, str) or indent + len(flat) <= WIDTH:
        return flat
    opening, items, closing = form
    # The words at the beginning of a form stay on its first line.
    words = next((index for index, item in enumerate(items) if not isinstance(item, str)), len(items))
    words = words if opening == "(" else 0
    head, items = opening + " ".join(map(_flat, items[:words])), items[words:]
    inner = "".join(f"\n{' ' * (indent + 2)}{_text(item, indent + 2)}" for item in items)
    return head + inner + closing


def _flat(form: Form) -> str:
    if isinstance(form, str):
        return form
    opening, items, closing = form
    return opening + " ".join(map(_flat, items)) + closing
