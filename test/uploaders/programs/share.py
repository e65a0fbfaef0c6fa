import os
import sys
from concurrent.futures import ThreadPoolExecutor

from client import Entry, Uploader

url, begin = sys.argv[1], int(sys.argv[2])
uploader = Uploader(url)


def send(first: int) -> None:
    for n in range(first, first + 100):
        uploader.send(Entry(n=n, text=""))


with ThreadPoolExecutor(4) as threads:
    list(threads.map(send, range(begin, begin + 400, 100)))
child = os.fork()
# Each process has entries that the other one has not.
send(begin + (400 if child else 500))
uploader.close()
if child:
    sys.exit(os.waitpid(child, 0)[1])
