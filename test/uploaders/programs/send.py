import json
import os
import sys

from client import Entry, Uploader

url, spool, progress, *numbers = sys.argv[1:]
first, last, characters, held_bytes, batch_lines, close_seconds = map(int, numbers)
sent = None if progress == "-" else os.open(progress, os.O_WRONLY | os.O_APPEND)
text = "x" * characters
uploader = Uploader(
    url,
    spool=None if spool == "-" else spool,
    on_refused=lambda refusal: print(json.dumps(refusal._asdict())),
    held_bytes=held_bytes,
    batch_lines=batch_lines,
    close_seconds=close_seconds,
)
for n in range(first, last + 1):
    uploader.send(Entry(n=n, text=text))
    if sent is not None:
        os.write(sent, b"%d\n" % n)
uploader.close()
