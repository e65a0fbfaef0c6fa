import datetime
import json
import sys
from typing import Any

from uploader import Entry, Owner, Station

read: dict[str, Any] = json.loads(sys.argv[1])
entry = Entry.from_dict(read)
print(json.dumps(entry.to_dict(), separators=(",", ":")) == sys.argv[1] or entry.to_dict() == read)
if entry.at is not None:
    print(entry.at.astimezone(datetime.timezone.utc).isoformat(), entry.at + datetime.timedelta(hours=1) > entry.at)
if entry.day is not None:
    print(entry.day.year)
if entry.station and entry.station.owner and entry.station.owner.name is not None:
    print(entry.station.owner.name, entry.station.additional_properties)

at = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)
made = Entry(at=at, day=at.date(), times=[None, at], station=Station(owner=Owner(name="Ada")))
print(json.dumps(made.to_dict()))
print(Entry.from_dict(made.to_dict()) == made)
try:
    Entry(at=datetime.datetime(2026, 1, 2)).to_dict()
except ValueError as error:
    print(error)
