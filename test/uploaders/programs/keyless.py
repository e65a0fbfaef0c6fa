import datetime
import math
import sys
import types
import uuid
from typing import Any

from sluice_uploader import Refusal, Uploader

url, domain, begin, spool = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]


def tell(refusal: Refusal) -> None:
    print(refusal.entry["n"], refusal.entry.get("more"))


uploader = Uploader(url, domain=domain, spool=spool, on_refused=tell)
no_entries: list[Any] = [
    None,
    [{}],
    (1, 2),
    "{}",
    7,
    True,
    {1},
    {"n": math.nan},
    {"n": 1, "more": [-math.inf]},
    {"n": {1}},
    {"n": 1, "more": datetime.datetime(2026, 1, 2)},
]
for no_entry in no_entries:
    try:
        uploader.send(no_entry)
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error)

plain: dict[str, object] = {"n": begin, "text": ""}
uploader.send(plain)
uploader.send(types.MappingProxyType({"n": begin + 1, "text": ""}))
more = [datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc), datetime.date(2026, 1, 2), uuid.UUID(int=7)]
uploader.send({"n": -1, "text": "", "more": more})
print(uploader.counts)
uploader.flush()
print(uploader.counts)
uploader.send({"n": -2, "text": "x" * 9 * 1024**2})
uploader.close()
print(uploader.counts)

for base_url, application in (("localhost:4340", domain), ("ftp://127.0.0.1", domain), (url, None)):
    try:
        Uploader(base_url, domain=application)
    except ValueError as error:
        print(error)
