"""Compares an exported CSV file of Sluice, cell by cell, with what the API lists.

    SLUICE_TOKEN=... python3 verify.py --url http://127.0.0.1:4000 --domain movies-k3v9q2 movies.csv

Needs nothing but Python 3. Prints rows, cells and differences; exit code 1 when anything differs.
It shares no code with Sluice: the rules, in verify_rules.py, are those of its documentation.
"""

import argparse
import csv
import json
import os
import sys
import urllib.error
import urllib.request

# No __pycache__ beside the sources.
sys.dont_write_bytecode = True

from verify_rules import leaves_of, match_columns, parse_json, same_cell, schema_leaves

MAX_PRINTED = 20


def get(url, path, token):
    request = urllib.request.Request(f"{url}/api{path}", headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request) as response:
            return parse_json(response.read().decode("utf-8"))["data"]
    except urllib.error.HTTPError as error:
        sys.exit(f"error: GET {path}: {error.code} {error.read().decode('utf-8', 'replace')}")
    except (urllib.error.URLError, ConnectionError) as error:
        sys.exit(f"error: no answer from {url}: {error}")


def list_entries(url, domain, token):
    """All entries, oldest first, and the total the listing tells."""
    entries, start = [], 0
    while True:
        page = get(url, f"/applications/{domain}/data?start={start}&limit=1000", token)
        entries += page["result"]
        if page["pagination"]["isLast"]:
            return entries[::-1], int(page["pagination"]["total"])
        start = int(page["pagination"]["next"])


def read_csv(file):
    csv.field_size_limit(2**31 - 1)
    with open(file, newline="", encoding="utf-8") as lines:
        rows = list(csv.reader(lines, strict=True))
    return rows[0] if rows else [], rows[1:]


def compare(header, rows, entries, declared):
    """Number of cells compared, and a line for each difference."""
    payloads = [leaves_of(entry["payload"]) for entry in entries]
    extra = {path for leaves in payloads for path in leaves} - set(declared)

    def misfits(path, place):
        pairs = zip(rows, payloads)
        return sum(not same_cell(row[place], leaves.get(path)) for row, leaves in pairs if place < len(row))

    paths, differences = match_columns(header, declared, extra, misfits)
    cells = 0
    for place, (row, entry, leaves) in enumerate(zip(rows, entries, payloads), 1):
        if len(row) != len(header):
            differences.append(f"row {place} has {len(row)} cells, the header {len(header)}")
        for name, path, cell in zip(header, paths, row):
            cells += 1
            value = entry["createdAt"] if path is None else leaves.get(path)
            if not same_cell(cell, value):
                differences.append(f"row {place}, {name!r}: the file has {cell!r}, the listing {value!r}")
    return cells, differences


def main():
    parser = argparse.ArgumentParser(description="Compare an exported CSV file with the listing.")
    parser.add_argument("--url", default="http://127.0.0.1:4000")
    parser.add_argument("--token", default=os.environ.get("SLUICE_TOKEN"), help="default: $SLUICE_TOKEN")
    parser.add_argument("--domain", required=True)
    parser.add_argument("file")
    options = parser.parse_args()
    if not options.token:
        parser.error("give --token or set SLUICE_TOKEN")

    url = options.url.rstrip("/")
    application = get(url, f"/applications/{options.domain}", options.token)
    entries, total = list_entries(url, options.domain, options.token)
    try:
        header, rows = read_csv(options.file)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        sys.exit(f"error: {options.file}: {error}")
    declared = schema_leaves(json.loads(application["template"]["raw_schema"]))
    cells, differences = compare(header, rows, entries, declared)
    if not len(rows) == len(entries) == total:
        differences.insert(0, f"{len(rows)} rows, {len(entries)} entries listed, a total of {total}")
    for difference in differences[:MAX_PRINTED]:
        print(difference)
    if len(differences) > MAX_PRINTED:
        print(f"and {len(differences) - MAX_PRINTED} more")
    print(f"{options.file}: {len(rows)} rows, {cells} cells compared, {len(differences)} differences")
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
