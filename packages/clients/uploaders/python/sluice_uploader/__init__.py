from __future__ import annotations

import atexit
import email.utils
import http.client
import json
import os
import random
import re
import secrets
import socket
import sys
import threading
import time
import traceback
import urllib.parse
from collections import deque
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Literal, NamedTuple, Optional, Union

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


# BEGIN SCHEMA
@dataclass
class Entry:
    """A sample: the generator replaces these lines."""

    n: int
    text: str

    def to_dict(self) -> Dict[str, Any]:
        return {"n": self.n, "text": self.text}


DOMAIN = "sample-k3v9q2"
SCHEMA_VERSION = 1
# END SCHEMA


class Refusal(NamedTuple):
    """An entry that was not stored, and why."""

    entry: Any
    line: int
    """Its line in the batch, from 1."""
    name: str
    message: str
    details: List[Dict[str, str]]
    """What is wrong, and where: `path` (a JSON Pointer), `keyword` and `message`."""


class Stale(NamedTuple):
    """The server has another version of the schema than this file."""

    version: int
    change: str
    """`stricter` (the server may refuse entries that this file allows) or `looser`."""


class NotStored(Exception):
    """`close` left entries behind, or the server takes nothing from this uploader: then `send` and `flush` fail too."""

    def __init__(self, entries: int, where: str, trouble: _Trouble) -> None:
        super().__init__(f"{entries} entries are not stored{where}: {trouble}")
        self.entries = entries
        """How many are not stored."""
        self.status = trouble.status
        """Of the last answer, and the name of its error. None if there was no answer."""
        self.reason = trouble.name


class Uploader:
    """Sends entries in batches, in order. Each is stored once, whatever fails on the way.

    base_url    where Sluice is, such as https://sluice.example
    key         an ingest key, if the application requires one
    spool       a folder, for one process at a time: what `send` returned for survives a crash
    on_refused  called once for each entry that is refused, mostly by another thread; otherwise a warning is printed
    on_stale    called once if this file is out of date; otherwise a warning is printed

    A batch is sent when it has `batch_lines` or `batch_bytes`, or is `batch_seconds` old. `send` waits while
    `held_bytes` have no answer; the spool counts. `close` waits `close_seconds` for answers. What a callback raises is
    printed.

    Threads may share an uploader. After a fork, the child begins without the parent's entries, and cannot use its spool.
    """

    def __init__(
        self,
        base_url: str,
        key: Optional[str] = None,
        spool: Optional[str] = None,
        on_refused: Optional[Callable[[Refusal], None]] = None,
        on_stale: Optional[Callable[[Stale], None]] = None,
        *,
        batch_lines: int = 5_000,
        batch_bytes: int = 4 * 1024**2,
        batch_seconds: float = 1,
        held_bytes: int = 64 * 1024**2,
        close_seconds: float = 30,
    ) -> None:
        self._on_refused = on_refused
        self._on_stale = on_stale
        self._batch_lines = batch_lines
        self._batch_bytes = batch_bytes
        self._batch_seconds = batch_seconds
        self._held_bytes = held_bytes
        self._close_seconds = close_seconds
        self._server = _Server(base_url, key)
        self._spool = None if spool is None else _Spool(spool)
        self._is_stale = False
        self._start([] if self._spool is None else self._spool.recover())
        atexit.register(self.close)

    def _start(self, found: List[_Batch]) -> None:
        self._process = os.getpid()
        # Guards what follows.
        self._changed = threading.Condition()
        self._filling: Optional[_Batch] = None
        self._sealed = deque(found)
        # In entries.
        self._taken = sum(batch.lines for batch in found)
        self._answered = 0
        self._held = sum(batch.bytes for batch in found)
        self._is_closed = False
        self._is_ended = False
        self._is_stuck = False
        self._has_failed = False
        # A callback is told of entries that are answered.
        self._is_telling = False
        self._trouble = _Trouble("the server has not answered")
        # Entries that the server said it stored, by the key of their batch.
        self._stored: Dict[str, int] = {}
        self._thread = threading.Thread(target=self._run, name="sluice-uploader", daemon=True)
        self._thread.start()

    def send(self, entry: Entry) -> None:
        """Hands over an entry. Waits while too much is held."""
        text = json.dumps(entry.to_dict(), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        line = text.encode() + b"\n"
        self._check_process()
        with self._changed:
            # A callback that sends must not wait for its own thread.
            if threading.current_thread() is not self._thread:
                self._changed.wait_for(lambda: self._held < self._held_bytes or self._is_closed or self._has_failed)
            self._check()
            if self._is_closed:
                raise RuntimeError("the uploader is closed")
            if len(line) <= _MOST_ENTRY_BYTES:
                return self._add(line)
        self._tell(line, [_TOO_LARGE])

    def flush(self) -> None:
        """Waits until all that was handed over before is answered."""
        self._check_process()
        self._check_thread("flush")
        with self._changed:
            self._seal()
            last = self._taken
            self._changed.wait_for(
                lambda: (self._answered >= last and not self._is_telling) or self._is_ended or self._has_failed
            )
            self._check()

    def verify(self) -> int:
        """Asks whether the server still has the entries that it told this uploader were stored, in the last 10,000 batches.

        Returns how many are missing: 0 if all are there. The server answers only if the uploader has a `key`.
        """
        self._check_process()
        with self._changed:
            stored = dict(self._stored)
        return sum(stored.get(key, 0) for key in self._server.missing(list(stored))) if stored else 0

    def close(self) -> None:
        """Sends what is left, and ends. Raises NotStored with the number of entries that are not stored."""
        if self._process != os.getpid():
            return
        self._check_thread("close")
        with self._changed:
            if self._is_closed:
                return
            self._is_closed = True
            self._seal()
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: not (self._sealed or self._is_telling) or self._is_stuck or self._has_failed,
                self._close_seconds,
            )
            self._is_ended = True
            self._changed.notify_all()
            failure = self._not_stored() if self._sealed else None
        if failure:
            self._server.interrupt()
        self._thread.join(1)
        atexit.unregister(self.close)
        if self._spool:
            self._spool.close()
        if failure:
            raise failure

    def __enter__(self) -> Uploader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check(self) -> None:
        """Fails if the server takes no more, or the end has left entries behind."""
        if self._has_failed or (self._is_ended and self._sealed):
            raise self._not_stored()

    def _not_stored(self) -> NotStored:
        where = " and stay in the spool" if self._spool else ""
        return NotStored(self._taken - self._answered, where, self._trouble)

    def _check_process(self) -> None:
        if self._process == os.getpid():
            return
        if self._spool:
            raise RuntimeError("a spool serves one process: make an uploader after the fork")
        self._server.disconnect()
        self._start([])

    def _check_thread(self, function: str) -> None:
        if threading.current_thread() is self._thread:
            raise RuntimeError(f"{function} must not be called in a callback")

    def _add(self, line: bytes) -> None:
        if self._filling and self._filling.bytes + len(line) > self._batch_bytes:
            self._seal()
        if not self._filling:
            key = _new_key()
            self._filling = self._spool.begin(key) if self._spool else _Batch(key)
            self._filling.due = time.monotonic() + self._batch_seconds
            self._changed.notify_all()
        batch = self._filling
        batch.append(line)
        self._taken += 1
        self._held += len(line)
        if batch.lines >= self._batch_lines or batch.bytes >= self._batch_bytes or time.monotonic() >= batch.due:
            self._seal()

    def _seal(self) -> None:
        """From now on the batch takes no lines. It is sent when its turn comes."""
        if not self._filling:
            return
        if self._filling.lines == 0:
            # The disk was full.
            self._filling.due = time.monotonic() + self._batch_seconds
            return
        self._filling.seal()
        self._sealed.append(self._filling)
        self._filling = None
        self._changed.notify_all()

    def _run(self) -> None:
        while batch := self._next():
            self._deliver(batch)
        self._server.disconnect()

    def _next(self) -> Optional[_Batch]:
        """Waits for a batch to send. None at the end."""
        with self._changed:
            while not self._sealed and not self._is_closed and not self._has_failed:
                wait = self._filling.due - time.monotonic() if self._filling else None
                if wait is not None and wait <= 0:
                    self._seal()
                else:
                    self._changed.wait(wait)
            return self._sealed[0] if self._sealed and not self._is_ended and not self._has_failed else None

    def _deliver(self, batch: _Batch) -> None:
        """Repeats a batch until it is answered or the uploader ends. The key of the batch makes that safe."""
        attempt = 0
        while not self._is_ended:
            pause = random.uniform(0, min(30, 0.5 * 2 ** min(attempt, 6)))
            attempt += 1
            try:
                body = batch.read()
                answer = self._server.post(batch.key, body)
                self._check_version(answer)
                if self._is_ended:
                    # The file belongs to the next process.
                    return
                if answer.is_too_large and batch.lines > 1:
                    return self._split(batch, body, answer)
                if answer.trouble.status == 409 and answer.is_of_sluice and self._spool:
                    self._spool.set_aside(batch.key, answer.trouble)
                    return self._end(batch, body, [])
                if answer.refused is not None:
                    batch.remove()
            except FileNotFoundError as error:
                # Only this process may remove a batch.
                self._trouble = _Trouble(str(error))
                return self._fail()
            except Exception as error:
                if not self._is_ended:
                    self._trouble = _Trouble(str(error) or type(error).__name__)
            else:
                if answer.refused is not None:
                    self._remember(batch.key, batch.lines - len(answer.refused))
                    return self._end(batch, body, answer.refused)
                self._trouble = answer.trouble
                if answer.is_temporary:
                    pause = pause if answer.retry_after is None else answer.retry_after
                elif answer.is_of_sluice:
                    return self._fail()
                else:
                    pause = 30
                    self._stick()
            with self._changed:
                self._changed.wait_for(lambda: self._is_ended, pause)

    def _remember(self, key: str, entries: int) -> None:
        with self._changed:
            if entries > 0:
                self._stored[key] = entries
            if len(self._stored) > _VERIFIED_BATCHES:
                del self._stored[next(iter(self._stored))]

    def _end(self, batch: _Batch, body: bytes, refused: List[Dict[str, Any]]) -> None:
        """A batch is answered. It is gone before a callback can fail."""
        with self._changed:
            self._sealed.popleft()
            self._answered += batch.lines
            self._held -= batch.bytes
            self._is_stuck = False
            self._is_telling = True
            self._changed.notify_all()
        self._tell(body, refused)
        with self._changed:
            self._is_telling = False
            self._changed.notify_all()

    def _split(self, batch: _Batch, body: bytes, answer: _Answer) -> None:
        """The server takes less at once. Later batches are no larger than these halves."""
        halves = batch.split(body)
        with self._changed:
            self._sealed.popleft()
            self._sealed.extendleft(reversed(halves))
            if answer.trouble.status == 413:
                self._batch_bytes = min(self._batch_bytes, (batch.bytes + 1) // 2)
            else:
                self._batch_lines = min(self._batch_lines, halves[0].lines)

    def _fail(self) -> None:
        """What is held stays, and nothing more is taken."""
        with self._changed:
            self._has_failed = True
            self._changed.notify_all()
            failure = self._not_stored()
        _warn(str(failure))

    def _stick(self) -> None:
        if not self._is_stuck:
            _warn(f"a batch is not stored, and is tried again every 30 s: {self._trouble.message}")
        with self._changed:
            self._is_stuck = True
            self._changed.notify_all()

    def _tell(self, body: bytes, refused: List[Dict[str, Any]]) -> None:
        if not refused:
            return
        if not self._on_refused:
            details = refused[0].get("details")
            why = f"{details[0]['path']} {details[0]['message']}" if details else refused[0]["message"]
            return _warn(f"{len(refused)} entries were refused; line {refused[0]['line']}: {why}")
        lines = body.split(b"\n")
        for error in refused:
            entry = _read_entry(lines[error["line"] - 1])
            _call(
                self._on_refused,
                Refusal(entry, error["line"], error["name"], error["message"], error.get("details") or []),
            )

    def _check_version(self, answer: _Answer) -> None:
        if self._is_stale or answer.stale is None:
            return
        self._is_stale = True
        if self._on_stale:
            return _call(self._on_stale, answer.stale)
        version, change = answer.stale
        _warn(
            f"the schema is now version {version}, {change} than version {SCHEMA_VERSION} of this client: "
            f"run sluice client python --app {DOMAIN}"
        )


def _warn(message: str) -> None:
    print(f"Sluice {DOMAIN}: {message}", file=sys.stderr, flush=True)


# No server takes a larger entry.
_MOST_ENTRY_BYTES = 8 * 1024**2
# The server answers for so many keys at once.
_VERIFIED_BATCHES = 10_000
_TOO_LARGE = {"line": 1, "name": "PayloadTooLargeError", "message": "the entry has more than 8 MiB"}


def _call(callback: Callable[[Any], None], value: Any) -> None:
    """What a callback raises stops nothing."""
    try:
        callback(value)
    except (Exception, SystemExit):
        traceback.print_exc()


def _read_entry(line: bytes) -> Any:
    """A disk may have damaged a line."""
    try:
        return json.loads(line)
    except ValueError:
        return line.decode(errors="replace")


_last_stamp = 0


def _new_key() -> str:
    """Keys sort in the order of their batches."""
    global _last_stamp
    _last_stamp = max(int(time.time() * 1000), _last_stamp + 1)
    return f"{_last_stamp:013}-{secrets.token_hex(8)}"


class _Batch:
    """Lines in memory."""

    due = 0.0

    def __init__(self, key: str) -> None:
        self.key = key
        self.lines = 0
        self.bytes = 0
        self._body = bytearray()

    def append(self, line: bytes) -> None:
        self._body += line
        self.lines += 1
        self.bytes += len(line)

    def seal(self) -> None:
        pass

    def read(self) -> bytes:
        return bytes(self._body)

    def split(self, body: bytes) -> List[_Batch]:
        """Puts two batches in place of this one. They count once this one is removed."""
        cut = 0
        for _ in range(self.lines // 2):
            cut = body.index(b"\n", cut) + 1
        halves = [self._half("a", body[:cut]), self._half("b", body[cut:])]
        self.remove()
        return halves

    def _half(self, name: str, body: bytes) -> _Batch:
        half = _Batch(self.key + name)
        half._body += body
        half._count(body)
        return half

    def _count(self, body: bytes) -> None:
        self.lines = body.count(b"\n")
        self.bytes = body.rfind(b"\n") + 1

    def remove(self) -> None:
        pass


_SUFFIX = ".ndjson"


class _SpooledBatch(_Batch):
    """Lines in a file."""

    def __init__(self, key: str, path: str) -> None:
        super().__init__(key)
        self._path = path
        self._file: Optional[int] = None

    def append(self, line: bytes) -> None:
        if self._file is None:
            self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            if os.write(self._file, line) < len(line):
                raise OSError(f"no room for {self._path}")
        except OSError:
            os.ftruncate(self._file, self.bytes)
            raise
        self.lines += 1
        self.bytes += len(line)

    def seal(self) -> None:
        if self._file is not None:
            os.fsync(self._file)
            os.close(self._file)
            self._file = None

    def recover(self) -> None:
        """A line without its end is cut off: `send` did not return for it."""
        body = self.read()
        self._count(body)
        if self.bytes < len(body):
            os.truncate(self._path, self.bytes)
        if not self.lines:
            self.remove()

    def read(self) -> bytes:
        with open(self._path, "rb") as file:
            return file.read()

    def _half(self, name: str, body: bytes) -> _Batch:
        half = _SpooledBatch(self.key + name, f"{self._path[: -len(_SUFFIX)]}{name}{_SUFFIX}")
        file = os.open(half._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(file, "wb") as writer:
            writer.write(body)
            writer.flush()
            os.fsync(file)
        half._count(body)
        return half

    def remove(self) -> None:
        os.remove(self._path)


class _Spool:
    """A folder with a file for each batch."""

    def __init__(self, folder: str) -> None:
        os.makedirs(folder, 0o700, exist_ok=True)
        self._folder = folder
        self._lock: Optional[int] = os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if sys.platform == "win32":
                msvcrt.locking(self._lock, msvcrt.LK_NBLCK, 1)
            else:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise RuntimeError(f"another process uses the spool {folder}") from None
        if hasattr(os, "register_at_fork"):
            # A child that lives longer would keep the lock.
            os.register_at_fork(after_in_child=self.close)

    def recover(self) -> List[_Batch]:
        global _last_stamp
        found: List[_Batch] = []
        names = [name for name in os.listdir(self._folder) if re.fullmatch(r"\d{13}-[0-9a-f]{16}[ab]*\.ndjson", name)]
        last = " "
        for key in sorted(name[: -len(_SUFFIX)] for name in names):
            batch = self.begin(key)
            if key.startswith(last):
                # Half of a batch that is still there: the process died while it split it.
                batch.remove()
                continue
            last = key
            _last_stamp = max(_last_stamp, int(key[:13]))
            try:
                batch.recover()
            except OSError as error:
                self.set_aside(key, error)
            if batch.lines:
                found.append(batch)
        return found

    def set_aside(self, key: str, why: object) -> None:
        """Renames a file that cannot be read, or has other lines than the server has for its key."""
        aside = os.path.join(self._folder, f"{key}.bad")
        os.replace(os.path.join(self._folder, f"{key}{_SUFFIX}"), aside)
        _warn(f"a batch cannot be sent, and is now {aside}: {why}")

    def begin(self, key: str) -> _SpooledBatch:
        return _SpooledBatch(key, os.path.join(self._folder, f"{key}{_SUFFIX}"))

    def close(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


class _Trouble(NamedTuple):
    message: str
    status: Optional[int] = None
    name: Optional[str] = None

    def __str__(self) -> str:
        return self.message if self.status is None else f"{self.status} {self.name}: {self.message}"


class _Answer(NamedTuple):
    trouble: _Trouble
    refused: Optional[List[Dict[str, Any]]]
    """The lines that were not stored; None if the answer is not about lines."""
    is_of_sluice: bool
    is_temporary: bool
    is_too_large: bool
    """The server does not take so much at once, however long the client waits."""
    retry_after: Optional[float]
    stale: Optional[Stale]


class _Server:
    """A connection that is kept open."""

    def __init__(self, base_url: str, key: Optional[str]) -> None:
        url = urllib.parse.urlsplit(base_url)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError(f"base_url is an address such as https://sluice.example, not {base_url}")
        self._host = url.hostname
        self._port = url.port
        self._connect = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
        self._connection = self._connect(self._host, self._port, timeout=60)
        self._path = f"{url.path.rstrip('/')}/api/applications/{DOMAIN}/data"
        self._headers = {"Content-Type": "application/x-ndjson", "Sluice-Schema-Version": str(SCHEMA_VERSION)}
        if key is not None:
            self._headers["X-Api-Key"] = key

    def post(self, key: str, body: bytes) -> _Answer:
        is_used = self._connection.sock is not None
        try:
            return self._ask(key, body)
        except (OSError, http.client.HTTPException):
            self.disconnect()
            # The server may have closed an idle connection.
            if not is_used:
                raise
        try:
            return self._ask(key, body)
        except BaseException:
            self.disconnect()
            raise

    def _ask(self, key: str, body: bytes) -> _Answer:
        self._connection.request("POST", f"{self._path}/batch", body, {**self._headers, "Idempotency-Key": key})
        response = self._connection.getresponse()
        return _read_answer(response, response.read())

    def missing(self, keys: List[str]) -> List[str]:
        """Those of the keys that the server does not know. Over a connection of its own: it may be called by any thread."""
        connection = self._connect(self._host, self._port, timeout=60)
        try:
            headers = {**self._headers, "Content-Type": "application/json"}
            connection.request("POST", f"{self._path}/missing", json.dumps({"keys": keys}), headers)
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        if response.status != 200:
            raise RuntimeError(str(_read_answer(response, text).trouble))
        missing: List[str] = json.loads(text)["data"]["missing"]
        return missing

    def disconnect(self) -> None:
        self._connection.close()

    def interrupt(self) -> None:
        """Wakes the thread that waits for an answer."""
        if self._connection.sock:
            try:
                self._connection.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def _read_retry_after(text: Optional[str]) -> Optional[float]:
    """In seconds."""
    if text is None:
        return None
    seconds = 0.0
    if re.fullmatch(r"[0-9]+", text):
        seconds = float(text)
    else:
        date = email.utils.parsedate_tz(text)
        if date:
            seconds = email.utils.mktime_tz(date) - time.time()
    return min(max(seconds, 0.1), 86_400)


def _read_answer(response: http.client.HTTPResponse, text: bytes) -> _Answer:
    status = response.status
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        # A proxy between has answered.
        body = {}
    error = body.get("error")
    is_of_sluice = isinstance(error, dict) and "name" in error
    if not is_of_sluice:
        error = {"name": "UnexpectedAnswer", "message": f"the answer has status {status}"}
    refused: Optional[List[Dict[str, Any]]] = None
    if status == 201:
        refused = []
    elif status == 207:
        refused = body.get("data", {}).get("errors")
    elif status == 413:
        # Of one line: a larger batch is split.
        refused = [{"line": 1, "name": error["name"], "message": error["message"]}]
    elif status == 422 and all("line" in detail for detail in error.get("details") or [{}]):
        refused = error["details"]
    retry_after = _read_retry_after(response.headers.get("Retry-After"))
    # Sluice says when to try again, if that can help; proxies may not.
    is_busy = status == 429 and (retry_after is not None or not is_of_sluice)
    change = response.headers.get("Sluice-Schema-Change")
    return _Answer(
        _Trouble(error["message"], status, error["name"]),
        refused,
        is_of_sluice,
        # 207 only if the answer is cut off.
        status in (207, 408, 500, 502, 503, 504) or is_busy,
        status == 413 or (status == 429 and not is_busy),
        retry_after,
        Stale(int(response.headers.get("Sluice-Schema-Version", 0)), change) if change else None,
    )
