import sys

from client import Entry, NotStored, Uploader

url, n, ca, domain = sys.argv[1:]
uploader = Uploader(url, ca=None if ca == "-" else ca, domain=domain, close_seconds=5 if ca == "-" else 60)
uploader.send(Entry(n=int(n), text="x" * 1_000))
try:
    uploader.close()
except NotStored as error:
    print(error)
