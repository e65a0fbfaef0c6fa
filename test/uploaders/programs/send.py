import json
import os
import sys
from typing import Any

from client import Entry, NotStored, Refusal, Uploader

url, spool, progress, *numbers, poisoned, key, domain = sys.argv[1:]
first, last, characters, held_bytes, batch_lines, close_seconds = map(int, numbers)
sent = None if progress == "-" else os.open(progress, os.O_WRONLY | os.O_APPEND)
text = "x" * characters

circle: list[Any] = []
circle.append(circle)
deep: list[Any] = []
for _ in range(100_000):
    deep = [deep]
poison: list[Any] = [
    Entry(n=-1, text=text),
    Entry(n=-2, text="x" * 2 * 1024**2),
    Entry(n=-3, text="x" * 17 * 1024**2),
    Entry(n=1, text=text, more={1}),
    Entry(n=1, text=text, more=float("nan")),
    Entry(n=1, text=text, ratio=float("inf")),
    Entry(n=1, text="\ud800"),
    Entry(n=1, text=text, more=circle),
    Entry(n=1, text=text, more=deep),
    None,
    [{"n": 1, "text": text}],
    '{"n":1,"text":""}',
    1,
    True,
    {1},
]


def say(line: str) -> None:
    """In one piece, as threads print at the same time."""
    os.write(1, line.encode() + b"\n")


def tell(refusal: Refusal) -> None:
    if poisoned != "yes":
        return say(json.dumps(refusal._asdict()))
    say(f"{refusal.entry['n']} {refusal.name}")
    if refusal.entry["n"] == -1:
        use_in_callback()
    raise ValueError("a callback that fails")


def use_in_callback() -> None:
    uploader.send(Entry(n=-100, text="x" * 9 * 1024**2))
    try:
        uploader.flush()
    except RuntimeError:
        try:
            uploader.close()
        except RuntimeError:
            say("-101 flush and close")


def send_poison(at: int) -> None:
    try:
        uploader.send(poison[at])
    except NotStored:
        raise
    except Exception:
        say(f"{-1 - at} send")


uploader = Uploader(
    url,
    None if key == "-" else key,
    domain=domain,
    spool=None if spool == "-" else spool,
    on_refused=tell,
    held_bytes=held_bytes,
    batch_lines=batch_lines,
    close_seconds=close_seconds,
)
for at, n in enumerate(range(first, last + 1)):
    uploader.send(Entry(n=n, text=text))
    if sent is not None:
        os.write(sent, b"%d\n" % n)
    if poisoned == "yes" and at < len(poison):
        send_poison(at)
if key != "-":
    uploader.flush()
    say(f"missing {uploader.verify()}")
uploader.close()
if poisoned == "yes":
    send_poison(2)
