import hashlib
import sys

from client import Entry, NotStored, Refusal, Uploader

url, locked_url = sys.argv[1:]


def tell_late(refusal: Refusal) -> None:
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000)
    print("told", refusal.entry["n"])


uploader = Uploader(url, on_refused=tell_late)
uploader.send(Entry(n=-1, text=""))
uploader.flush()
print("flushed")
uploader.send(Entry(n=-2, text=""))
uploader.close()
print("closed")

uploader = Uploader(url, on_refused=lambda refusal: sys.exit(3), batch_lines=1)
uploader.send(Entry(n=-3, text=""))
uploader.send(Entry(n=20_000_001, text=""))
uploader.close()
print("ended by nothing")

uploader = Uploader(locked_url)
uploader.send(Entry(n=1, text=""))
for attempt in (uploader.flush, lambda: uploader.send(Entry(n=2, text="")), uploader.flush, uploader.close):
    try:
        attempt()
    except NotStored as error:
        print(error.entries, error.status, error.reason)
