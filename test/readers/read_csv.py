"""Prints the rows of CSV files as two readers find them, for each file a line of JSON for each reader: a list of lists of text.

    python read_csv.py FILE...

First Python's csv in the dialect of spreadsheets (`excel`), then DuckDB's reader, which cannot tell a missing value from an
empty text here: both are "".
"""

import csv
import json
import sys

import duckdb


def by_python(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file, dialect="excel", strict=True))


def by_duckdb(path):
    query = """
        SELECT * FROM read_csv(?, header = false, all_varchar = true, auto_detect = false, delim = ',', quote = '"', escape = '"',
            new_line = '\\r\\n', columns = {columns}, max_line_size = 20000000)
    """
    width = len(by_python(path)[0])
    columns = "{" + ", ".join(f"'c{i}': 'VARCHAR'" for i in range(width)) + "}"
    rows = duckdb.connect().execute(query.replace("{columns}", columns), [path]).fetchall()
    return [["" if cell is None else cell for cell in row] for row in rows]


csv.field_size_limit(2**30)
for file in sys.argv[1:]:
    for read in (by_python, by_duckdb):
        print(json.dumps(read(file)))
