"""Prints the columns `day` and `at` of Parquet files as three readers find them, for each file a line of JSON for each reader.

    python read_times.py FILE...

First DuckDB, then pandas, then polars: {"types": [<of day>, <of at>], "rows": [[<day as ISO text>, <at in microseconds>], ...]}.
"""

import json
import sys

import duckdb
import pandas
import polars


def by_duckdb(path):
    relation = duckdb.connect().execute(
        "SELECT CAST(day AS VARCHAR), epoch_us(\"at\"), typeof(day), typeof(\"at\") FROM read_parquet(?)", [path]
    )
    rows = relation.fetchall()
    return {"types": list(rows[0][2:]), "rows": [list(row[:2]) for row in rows]}


def by_pandas(path):
    frame = pandas.read_parquet(path)
    days = [None if day is None else day.isoformat() for day in frame["day"]]
    # As integers: Python's own datetime would need a package of time zones.
    times = [None if pandas.isna(at) else int(at.as_unit("us")._value) for at in frame["at"]]
    kinds = {type(day).__name__ for day in frame["day"] if day is not None}
    return {"types": [*kinds, str(frame["at"].dtype)], "rows": [list(row) for row in zip(days, times)]}


def by_polars(path):
    frame = polars.read_parquet(path, columns=["day", "at"])
    shown = frame.select(polars.col("day").dt.strftime("%Y-%m-%d"), polars.col("at").dt.epoch("us"))
    return {"types": [str(kind) for kind in frame.dtypes], "rows": [list(row) for row in shown.rows()]}


for file in sys.argv[1:]:
    for read in (by_duckdb, by_pandas, by_polars):
        print(json.dumps(read(file)))
