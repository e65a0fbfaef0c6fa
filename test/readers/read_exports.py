"""Prints the types and the rows of exports of one application as three readers find them: for each file, which is CSV or Parquet,
a line of JSON for DuckDB, for pandas and for polars.

    python read_exports.py FILE...

A line is {"columns": [...], "types": [...], "rows": [[...], ...]}. In rows, a missing value is null, a time its microseconds since 1970, a day
its ISO text, whatever else is nested its JSON. Of CSV all is text, and what is missing is "".
"""

import datetime
import json
import sys

import duckdb
import numpy
import pandas
import polars


def plain(value):
    if value is None or value is pandas.NaT or value is pandas.NA:
        return None
    if isinstance(value, datetime.datetime):
        whole = int(value.replace(microsecond=0).timestamp())
        return whole * 1_000_000 + value.microsecond
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (numpy.ndarray, list)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, numpy.generic):
        value = value.item()
    return None if isinstance(value, float) and value != value else value


def result(columns, types, rows):
    return {
        "columns": list(columns),
        "types": [str(kind) for kind in types],
        "rows": [[plain(value) for value in row] for row in rows],
    }


def parquet_by_duckdb(path):
    relation = duckdb.connect().read_parquet(path)
    # As integers: the Python client wants a package of time zones for the type itself.
    shown = [
        f'epoch_us("{name}")' if str(kind) == "TIMESTAMP WITH TIME ZONE" else f'"{name}"'
        for name, kind in zip(relation.columns, relation.types)
    ]
    return result(relation.columns, relation.types, relation.project(", ".join(shown)).fetchall())


def parquet_by_pandas(path):
    frame = pandas.read_parquet(path, dtype_backend="pyarrow")
    rows = frame.itertuples(index=False, name=None)
    return result(frame.columns, frame.dtypes, rows)


def parquet_by_polars(path):
    frame = polars.read_parquet(path)
    return result(frame.columns, frame.dtypes, frame.rows())


def csv_by_duckdb(path):
    relation = duckdb.connect().read_csv(path, header=True, all_varchar=True, delimiter=",", quotechar='"')
    rows = [["" if cell is None else cell for cell in row] for row in relation.fetchall()]
    return result(relation.columns, relation.types, rows)


def csv_by_pandas(path):
    frame = pandas.read_csv(path, dtype=str, keep_default_na=False)
    return result(frame.columns, frame.dtypes, frame.itertuples(index=False, name=None))


def csv_by_polars(path):
    frame = polars.read_csv(path, infer_schema=False).fill_null("")
    return result(frame.columns, frame.dtypes, frame.rows())


for file in sys.argv[1:]:
    with open(file, "rb") as opened:
        parquet = opened.read(4) == b"PAR1"
    readers = (parquet_by_duckdb, parquet_by_pandas, parquet_by_polars)
    for read in readers if parquet else (csv_by_duckdb, csv_by_pandas, csv_by_polars):
        print(json.dumps(read(file), allow_nan=False))
