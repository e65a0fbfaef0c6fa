"""Prints the rows of a Parquet file that DuckDB reads over HTTP, by ranges, as a line of JSON: [[<value>, ...], ...].

    TOKEN=... python read_remote.py URL

The file comes through fsspec: DuckDB would have to download its own extension for HTTP.
"""

import json
import os
import sys
from datetime import datetime

import duckdb
from fsspec.implementations.http import HTTPFileSystem


class Files(HTTPFileSystem):
    def modified(self, path):
        """DuckDB asks for it, and fsspec does not say it of a URL."""
        return datetime(1970, 1, 1)


[url] = sys.argv[1:]
# Small blocks, so that DuckDB asks for several ranges of a small file.
files = Files(headers={"Authorization": f"Bearer {os.environ['TOKEN']}"}, block_size=1024)
# Readers that do not know the length of a file ask so for its footer.
assert files.cat_file(url, start=-65_536) == files.cat_file(url)[-65_536:]

# Closing ends DuckDB's threads: one that still lets go of a file while Python exits aborts the process.
with duckdb.connect() as connection:
    connection.register_filesystem(files)
    print(json.dumps(connection.execute("SELECT n, text FROM read_parquet(?) ORDER BY n", [url]).fetchall()))
