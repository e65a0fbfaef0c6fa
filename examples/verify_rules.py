"""How entries become columns and cells, as the documentation of Sluice tells it."""

import json
import re
from collections import Counter
from decimal import Decimal

# What a spreadsheet would run gets a leading ' (blanks before it do not help).
FORMULA = re.compile(r"[\t\r]|\s*[=+\-@]")


class Number(str):
    """A JSON number as it was printed."""


def parse_json(text):
    return json.loads(text, parse_int=Number, parse_float=Number)


def schema_leaves(schema):
    """Paths of the leaf properties a schema declares, in its order; through local $ref and allOf too."""
    leaves = {}

    def resolve(reference):
        node = schema
        for key in reference.lstrip("#").split("/")[1:]:
            node = node.get(key.replace("~1", "/").replace("~0", "~"), {})
        return node

    def properties(node):
        found = [*node.get("properties", {}).items()]
        parts = ([resolve(node["$ref"])] if "$ref" in node else []) + node.get("allOf", [])
        for part in parts:
            found += properties(part) if isinstance(part, dict) else []
        return found

    def walk(node, path):
        nested = properties(node) if isinstance(node, dict) else []
        if not nested and path:
            leaves[path] = None
        for name, child in nested:
            walk(child, (*path, name))

    walk(schema, ())
    return list(leaves)


def leaves_of(payload, path=()):
    """Leaves of a payload by path: nested objects are descended, arrays and empty objects are not."""
    found = {}
    for key, value in payload.items():
        here = (*path, key)
        found.update(leaves_of(value, here) if isinstance(value, dict) and value else {here: value})
    return found


def pointer(path):
    return "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in path)


def match_columns(header, declared, extra, misfits):
    """The path behind each name of the header (None: createdAt), and what is wrong with the names.

    A name is the keys joined by dots, or the JSON Pointer where an earlier column has that name.
    Of two leaves with one name, the one with fewer `misfits(path, place)` is meant.
    """
    paths, taken = [None], {"createdAt"}
    problems = [f"{count} columns are named {name!r}" for name, count in Counter(header).items() if count > 1]
    if header[:1] != ["createdAt"]:
        problems.append(f"the first column is {header[:1]}, not createdAt")

    def name_of(path):
        dotted = ".".join(path)
        return pointer(path) if dotted in taken or dotted[:1] in ("/", "'") else dotted

    rest = set(extra)
    for place, found in enumerate(header[1:]):
        if place < len(declared):
            candidates = [declared[place]]
        else:
            candidates = [path for path in rest if disarmed(name_of(path)) == found]
            if len(candidates) > 1:
                candidates.sort(key=lambda path: (misfits(path, place + 1), path))
        if not candidates or disarmed(name_of(candidates[0])) != found:
            wanted = repr(name_of(candidates[0])) if candidates else "no such leaf"
            problems.append(f"column {place + 2} is {found!r}, expected: {wanted}")
        paths.append(candidates[0] if candidates else ())
        taken.add(found)
        rest.discard(paths[-1])
    missing = [*declared[len(header) - 1 :], *sorted(rest)]
    return paths, problems + [f"no column for {pointer(path)}" for path in missing]


def disarmed(text):
    return "'" + text if FORMULA.match(text) else text


def same_json(one, other):
    if type(one) is not type(other):
        return False
    if isinstance(one, Number):
        return Decimal(one) == Decimal(other)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same_json(one[key], other[key]) for key in one)
    return one == other


def same_cell(cell, value):
    """Whether a cell shows a value. Numbers have to be printed as the listing prints them."""
    if value is None:
        return cell == ""
    if isinstance(value, bool):
        return cell == ("true" if value else "false")
    if isinstance(value, Number):
        return cell == value
    if isinstance(value, str):
        return cell == disarmed(value)
    try:
        return same_json(parse_json(cell), value)
    except ValueError:
        return False
