"""Prints the column `place` of a streamed export as each reader has it, as a line of JSON: {<reader>: [<value>, ...], ...}.

    TOKEN=... python read_stream.py URL
"""

import json
import os
import subprocess
import sys
from urllib.request import Request, urlopen

import duckdb
import fsspec
import pandas
import polars

[url] = sys.argv[1:]
token = {"Authorization": f"Bearer {os.environ['TOKEN']}"}


def opened(file_format):
    return urlopen(Request(f"{url}?format={file_format}", headers=token))


def piped(query, file_format):
    """The rows that DuckDB reads from a pipe, as `curl` would fill it."""
    program = "import duckdb, json, sys; print(json.dumps(duckdb.execute(sys.argv[1]).fetchall()))"
    command = [sys.executable, "-c", program, query]
    done = subprocess.run(command, input=opened(file_format).read(), stdout=subprocess.PIPE, check=True)
    return [place for [place] in json.loads(done.stdout)]


def of_duckdb(table):
    return [place for [place] in table.project("place").fetchall()]


text = {"place": polars.String}
# It asks for the head first.
with fsspec.open(url, headers=token) as file:
    by_fsspec = polars.read_csv(file, schema_overrides=text)["place"].to_list()
print(
    json.dumps(
        {
            "pandas": pandas.read_csv(url, storage_options=token, dtype={"place": "string"}).place.tolist(),
            "pandas, Parquet": pandas.read_parquet(f"{url}?format=parquet", storage_options=token).place.tolist(),
            "polars": polars.read_csv(opened("csv"), schema_overrides=text)["place"].to_list(),
            "polars, fsspec": by_fsspec,
            "polars, Parquet": polars.read_parquet(opened("parquet").read())["place"].to_list(),
            "duckdb": of_duckdb(duckdb.read_csv(opened("csv"), dtype={"place": "VARCHAR"})),
            "duckdb, pipe": piped("SELECT place FROM read_csv('/dev/stdin', types={'place': 'VARCHAR'})", "csv"),
            "duckdb, NDJSON": piped(
                "SELECT payload->>'place' FROM read_ndjson('/dev/stdin', columns={'payload': 'JSON'})", "ndjson"
            ),
        }
    )
)
