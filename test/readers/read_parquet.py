"""Prints the rows of Parquet files as DuckDB reads them, a line of JSON for each file: [{"<column>": <value>, ...}, ...].

    python read_parquet.py FILE...

A timestamp is its text in UTC, such as 2025-01-31T09:00:00.000Z; integers and doubles are numbers; a struct is an
object with all of its fields, a list an array, NULL null. A file that cannot be read ends it with an error.
"""

import json
import sys
from datetime import datetime, timedelta

import duckdb

EPOCH = datetime(1970, 1, 1)


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def shown(name, kind):
    # As an integer: the Python client wants a package of time zones for the type itself.
    return f"epoch_ms({quoted(name)})" if kind == "TIMESTAMP WITH TIME ZONE" else quoted(name)


def to_iso(milliseconds):
    time = EPOCH + timedelta(milliseconds=milliseconds)
    return f"{time:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03}Z"


def read(connection, path):
    relation = connection.read_parquet(path)
    columns = list(zip(relation.columns, map(str, relation.types)))
    wanted = ", ".join(shown(*column) for column in columns)
    result = connection.execute(f"SELECT {wanted} FROM read_parquet(?)", [path])
    while batch := result.fetchmany(1000):
        for row in batch:
            yield {
                name: to_iso(value) if kind == "TIMESTAMP WITH TIME ZONE" and value is not None else value
                for (name, kind), value in zip(columns, row)
            }


def main(paths):
    connection = duckdb.connect()
    for path in paths:
        print(json.dumps(list(read(connection, path)), allow_nan=False))


main(sys.argv[1:])
