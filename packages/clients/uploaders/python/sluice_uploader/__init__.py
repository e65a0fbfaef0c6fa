"""Sends entries to Sluice in batches, in order. Each is stored once, whatever fails on the way."""

from __future__ import annotations

import atexit
import base64
import contextlib
import datetime as _datetime
import email.utils
import gzip
import http.client
import json
import logging
import os
import random
import re
import secrets
import socket
import ssl
import sys
import threading
import time
import urllib.parse
import urllib.request
import uuid
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Callable


# BEGIN SCHEMA
Entry = Mapping[str, Any]

DOMAIN: str | None = None
SCHEMA_VERSION: int | None = None
# END SCHEMA


class Refusal(NamedTuple):
    """An entry that was not stored, and why."""

    entry: Any
    line: int
    """Its line in the batch, from 1."""
    name: str
    message: str
    details: list[dict[str, str]]
    """What is wrong, and where: `path` (a JSON Pointer), `keyword` and `message`."""


class Stale(NamedTuple):
    """The server has another version of the schema than this file."""

    version: int
    change: Literal["stricter", "looser"]
    """`stricter`: the server may refuse entries that this file allows."""


class Counts(NamedTuple):
    """What became of the entries of this process."""

    stored: int
    refused: int
    waiting: int
    """Without an answer, with those that the spool had."""


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
    on_refused  called once for each entry that is refused, mostly by another thread; otherwise a warning is logged
    on_stale    called once if this file is out of date; otherwise a warning is logged
    domain      the application
    gzip        whether bodies of 1 KiB and more are compressed
    ca          a PEM file with further certificate authorities

    A batch is sent when it has `batch_lines` or `batch_bytes`, or is `batch_seconds` old. `send` waits while
    `held_bytes` have no answer; the spool counts. `close` waits `close_seconds` for answers. What a callback raises is
    logged. The logger is `sluice`.

    HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment are used.

    Threads may share an uploader. After a fork, the child begins without the parent's entries, and cannot use its
    spool.
    """

    def __init__(
        self,
        base_url: str,
        key: str | None = None,
        spool: str | os.PathLike[str] | None = None,
        on_refused: Callable[[Refusal], None] | None = None,
        on_stale: Callable[[Stale], None] | None = None,
        *,
        domain: str | None = DOMAIN,
        gzip: bool = True,
        ca: str | os.PathLike[str] | None = None,
        batch_lines: int = 5_000,
        batch_bytes: int = 4 * 1024**2,
        batch_seconds: float = 1,
        held_bytes: int = 64 * 1024**2,
        close_seconds: float = 30,
    ) -> None:
        if not domain:
            raise ValueError("domain: an application is needed, such as weather-station-k3v9q2")
        self._domain = domain
        self._on_refused = on_refused
        self._on_stale = on_stale
        self._batch_lines = batch_lines
        self._batch_bytes = batch_bytes
        self._batch_seconds = batch_seconds
        self._held_bytes = held_bytes
        self._close_seconds = close_seconds
        self._server = _Server(base_url, domain, key, is_gzip=gzip, ca=ca)
        self._spool = None if spool is None else _Spool(Path(spool), self._warn)
        self._is_stale = False
        self._start([] if self._spool is None else self._spool.recover())
        atexit.register(self.close)

    def _start(self, found: list[_Batch]) -> None:
        self._process = os.getpid()
        # Guards what follows.
        self._changed = threading.Condition()
        self._filling: _Batch | None = None
        self._sealed = deque(found)
        # In entries.
        self._taken = sum(batch.lines for batch in found)
        self._answered = 0
        self._stored = 0
        self._refused = 0
        self._held = sum(batch.bytes for batch in found)
        self._is_closed = False
        self._is_ended = False
        self._is_stuck = False
        self._has_failed = False
        # A callback is told of entries that are answered.
        self._is_telling = False
        self._trouble = _Trouble("the server has not answered")
        # Entries that the server said it stored, by the key of their batch.
        self._stored_by_key: dict[str, int] = {}
        self._thread = threading.Thread(target=self._run, name="sluice-uploader", daemon=True)
        self._thread.start()

    @property
    def counts(self) -> Counts:
        """How many entries are stored, refused and waiting."""
        if self._process != os.getpid():
            return Counts(0, 0, 0)
        with self._changed:
            return Counts(self._stored, self._refused, self._taken - self._answered)

    def send(self, entry: Entry) -> None:
        """Hand over an entry. Waits while too much is held.

        Raises TypeError if it is no JSON object, and ValueError if JSON cannot write it. Then it is not kept.
        """
        line = _to_line(entry)
        self._check_process()
        with self._changed:
            # A callback that sends must not wait for its own thread.
            if threading.current_thread() is not self._thread:
                self._changed.wait_for(lambda: self._held < self._held_bytes or self._is_closed or self._has_failed)
            self._check()
            if self._is_closed:
                raise RuntimeError("the uploader is closed")
            if len(line) <= _MOST_ENTRY_BYTES:
                self._add(line)
                return
            self._refused += 1
        self._tell(line, [_TOO_LARGE])

    def flush(self) -> None:
        """Wait until all that was handed over before is answered."""
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
        """Ask whether the server still has the entries that it told this uploader were stored.

        Returns how many of the last 10,000 batches are missing: 0 if all are there. The server answers only if the
        uploader has a `key`.
        """
        self._check_process()
        with self._changed:
            stored = dict(self._stored_by_key)
        return sum(stored.get(key, 0) for key in self._server.missing(list(stored))) if stored else 0

    def close(self) -> None:
        """Send what is left, and end. Raises NotStored with the number of entries that are not stored."""
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
        """Fail if the server takes no more, or the end has left entries behind."""
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

    def _next(self) -> _Batch | None:
        """Wait for a batch to send. None at the end."""
        with self._changed:
            while not self._sealed and not self._is_closed and not self._has_failed:
                wait = self._filling.due - time.monotonic() if self._filling else None
                if wait is not None and wait <= 0:
                    self._seal()
                else:
                    self._changed.wait(wait)
            return self._sealed[0] if self._sealed and not self._is_ended and not self._has_failed else None

    def _deliver(self, batch: _Batch) -> None:
        """Repeat a batch until it is answered or the uploader ends. The key of the batch makes that safe."""
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
                    self._split(batch, body, answer)
                    return
                if answer.trouble.status == 409 and answer.is_of_sluice and self._spool:
                    self._spool.set_aside(batch.key, answer.trouble)
                    self._end(batch, body, 0, [])
                    return
                if answer.refused is not None:
                    batch.remove()
            except FileNotFoundError as error:
                # Only this process may remove a batch.
                self._trouble = _Trouble(str(error))
                self._fail()
                return
            except Exception as error:
                if not self._is_ended:
                    self._trouble = _Trouble(str(error) or type(error).__name__)
            else:
                if answer.refused is not None:
                    self._end(batch, body, batch.lines - len(answer.refused), answer.refused)
                    return
                self._trouble = answer.trouble
                if answer.is_temporary:
                    pause = pause if answer.retry_after is None else answer.retry_after
                elif answer.is_of_sluice:
                    self._fail()
                    return
                else:
                    pause = 30
                    self._stick()
            with self._changed:
                self._changed.wait_for(lambda: self._is_ended, pause)

    def _end(self, batch: _Batch, body: bytes, stored: int, refused: list[dict[str, Any]]) -> None:
        """Tell of a batch that is answered. It is gone before a callback can fail."""
        with self._changed:
            self._sealed.popleft()
            self._answered += batch.lines
            self._stored += stored
            self._refused += len(refused)
            self._held -= batch.bytes
            self._is_stuck = False
            self._is_telling = True
            if stored > 0:
                self._stored_by_key[batch.key] = stored
            if len(self._stored_by_key) > _VERIFIED_BATCHES:
                del self._stored_by_key[next(iter(self._stored_by_key))]
            self._changed.notify_all()
        self._tell(body, refused)
        with self._changed:
            self._is_telling = False
            self._changed.notify_all()

    def _split(self, batch: _Batch, body: bytes, answer: _Answer) -> None:
        """Send two halves, as the server takes less at once. Later batches are no larger."""
        halves = batch.split(body)
        with self._changed:
            self._sealed.popleft()
            self._sealed.extendleft(reversed(halves))
            if answer.trouble.status == 413:
                self._batch_bytes = min(self._batch_bytes, (batch.bytes + 1) // 2)
            else:
                self._batch_lines = min(self._batch_lines, halves[0].lines)

    def _fail(self) -> None:
        """Keep what is held, and take nothing more."""
        with self._changed:
            self._has_failed = True
            self._changed.notify_all()
            failure = self._not_stored()
        self._warn(str(failure))

    def _stick(self) -> None:
        if not self._is_stuck:
            self._warn(f"a batch is not stored, and is tried again every 30 s: {self._trouble.message}")
        with self._changed:
            self._is_stuck = True
            self._changed.notify_all()

    def _tell(self, body: bytes, refused: list[dict[str, Any]]) -> None:
        if not refused:
            return
        if not self._on_refused:
            details = refused[0].get("details")
            why = f"{details[0]['path']} {details[0]['message']}" if details else refused[0]["message"]
            self._warn(f"{len(refused)} entries were refused; line {refused[0]['line']}: {why}")
            return
        lines = body.split(b"\n")
        for error in refused:
            entry = _read_entry(lines[error["line"] - 1])
            details = error.get("details") or []
            _call(self._on_refused, Refusal(entry, error["line"], error["name"], error["message"], details))

    def _check_version(self, answer: _Answer) -> None:
        if self._is_stale or answer.stale is None:
            return
        self._is_stale = True
        if self._on_stale:
            _call(self._on_stale, answer.stale)
            return
        version, change = answer.stale
        self._warn(
            f"the schema is now version {version}, {change} than version {SCHEMA_VERSION} of this client: "
            "run sluice client update uploader.py"
        )

    def _warn(self, message: str) -> None:
        _log.warning("Sluice %s: %s", self._domain, message)


# A program that configures no logging prints its warnings to stderr.
_log = logging.getLogger("sluice")
# No server takes a larger entry.
_MOST_ENTRY_BYTES = 8 * 1024**2
# Smaller bodies gain nothing.
_LEAST_GZIP_BYTES = 1024
# The server answers for so many keys at once.
_VERIFIED_BATCHES = 10_000
_TOO_LARGE = {"line": 1, "name": "PayloadTooLargeError", "message": "the entry has more than 8 MiB"}
_NAMES = {list: "an array", tuple: "an array", str: "a string", bool: "a boolean", int: "a number", float: "a number"}


def _to_line(entry: Any) -> bytes:
    """Write an entry, which is a mapping or has `to_dict`."""
    plain = entry
    try:
        if hasattr(entry, "to_dict"):
            plain = entry.to_dict()
        if isinstance(plain, Mapping):
            return _encode(dict(plain)).encode() + b"\n"
    except (AttributeError, TypeError, ValueError, RecursionError) as error:
        if type(error) is ValueError and _is_json_but_for_nan(plain):
            raise ValueError("an entry cannot hold NaN or Infinity") from None
        raise ValueError(f"an entry that JSON cannot write: {error}") from error
    name = "null" if plain is None else _NAMES.get(type(plain), f"a {type(plain).__name__}")
    raise TypeError(f"an entry is a JSON object, not {name}")


def _to_plain(value: Any) -> Any:
    """Write what programs often hold, and JSON has no type for."""
    if isinstance(value, _datetime.datetime) and value.tzinfo is None:
        raise ValueError(f"{value!r} has no time zone")
    if isinstance(value, _datetime.date):
        return value.isoformat()
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_to_plain).encode


def _is_json_but_for_nan(value: Any) -> bool:
    try:
        json.dumps(value, default=_to_plain)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _call(callback: Callable[[Any], None], value: Any) -> None:
    """Call a callback. What it raises stops nothing."""
    try:
        callback(value)
    except (Exception, SystemExit):
        _log.exception("a callback failed")


def _read_entry(line: bytes) -> Any:
    """Read a line, which a disk may have damaged."""
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

    def split(self, body: bytes) -> list[_Batch]:
        """Put two batches in place of this one. They count once this one is removed."""
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
# Windows would write `\n` as two bytes.
_BINARY: int = getattr(os, "O_BINARY", 0)


class _SpooledBatch(_Batch):
    """Lines in a file."""

    def __init__(self, key: str, folder: Path) -> None:
        super().__init__(key)
        self._folder = folder
        self._path = folder / f"{key}{_SUFFIX}"
        self._file: int | None = None

    def append(self, line: bytes) -> None:
        if self._file is None:
            self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _BINARY, 0o600)
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
        """Cut off a line without its end: `send` did not return for it."""
        body = self.read()
        self._count(body)
        if self.bytes < len(body):
            os.truncate(self._path, self.bytes)
        if not self.lines:
            self.remove()

    def read(self) -> bytes:
        return self._path.read_bytes()

    def _half(self, name: str, body: bytes) -> _Batch:
        half = _SpooledBatch(self.key + name, self._folder)
        file = os.open(half._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _BINARY, 0o600)
        with os.fdopen(file, "wb") as writer:
            writer.write(body)
            writer.flush()
            os.fsync(file)
        half._count(body)
        return half

    def remove(self) -> None:
        self._path.unlink()


class _Spool:
    """A folder with a file for each batch."""

    def __init__(self, folder: Path, warn: Callable[[str], None]) -> None:
        folder.mkdir(0o700, parents=True, exist_ok=True)
        self._folder = folder
        self._warn = warn
        self._lock: int | None = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
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

    def recover(self) -> list[_Batch]:
        global _last_stamp
        found: list[_Batch] = []
        names = [path.name for path in self._folder.iterdir()]
        keys = [name[: -len(_SUFFIX)] for name in names if re.fullmatch(r"\d{13}-[0-9a-f]{16}[ab]*\.ndjson", name)]
        last = " "
        for key in sorted(keys):
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
        """Rename a file that cannot be read, or has other lines than the server has for its key."""
        aside = self._folder / f"{key}.bad"
        (self._folder / f"{key}{_SUFFIX}").replace(aside)
        self._warn(f"a batch cannot be sent, and is now {aside}: {why}")

    def begin(self, key: str) -> _SpooledBatch:
        return _SpooledBatch(key, self._folder)

    def close(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


class _Trouble(NamedTuple):
    message: str
    status: int | None = None
    name: str | None = None

    def __str__(self) -> str:
        return self.message if self.status is None else f"{self.status} {self.name}: {self.message}"


class _Answer(NamedTuple):
    trouble: _Trouble
    refused: list[dict[str, Any]] | None
    """The lines that were not stored; None if the answer is not about lines."""
    is_of_sluice: bool
    is_temporary: bool
    is_too_large: bool
    """The server does not take so much at once, however long the client waits."""
    retry_after: float | None
    stale: Stale | None


class _Server:
    """A connection that is kept open."""

    def __init__(
        self, base_url: str, domain: str, key: str | None, *, is_gzip: bool, ca: str | os.PathLike[str] | None
    ) -> None:
        url = urllib.parse.urlsplit(base_url)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError(f'base URL: "{base_url}" does not begin with http:// or https://')
        self._host = url.hostname
        self._port = url.port
        self._is_gzip = is_gzip
        self._trusted = _trust(ca) if url.scheme == "https" else None
        self._proxy = _read_proxy(url)
        self._path = f"{url.path.rstrip('/')}/api/applications/{urllib.parse.quote(domain, safe='')}/data"
        self._headers = {"Content-Type": "application/x-ndjson"}
        # The numbers of another application's versions mean nothing.
        if SCHEMA_VERSION is not None and domain == DOMAIN:
            self._headers["Sluice-Schema-Version"] = str(SCHEMA_VERSION)
        if key is not None:
            self._headers["X-Api-Key"] = key
        if self._proxy and url.scheme == "http":
            self._path = f"http://{url.netloc.rpartition('@')[2]}{self._path}"
            self._headers.update(self._proxy.headers)
        self._connection = self._connect()

    def _connect(self) -> http.client.HTTPConnection:
        host, port = (self._proxy.host, self._proxy.port) if self._proxy else (self._host, self._port)
        if self._trusted is None:
            return http.client.HTTPConnection(host, port, timeout=60)
        connection = http.client.HTTPSConnection(host, port, timeout=60, context=self._trusted)
        if self._proxy:
            connection.set_tunnel(self._host, self._port, self._proxy.headers)
        return connection

    def post(self, key: str, body: bytes) -> _Answer:
        headers = {**self._headers, "Idempotency-Key": key}
        if self._is_gzip and len(body) >= _LEAST_GZIP_BYTES:
            headers["Content-Encoding"] = "gzip"
            body = gzip.compress(body, 1)
        is_used = self._connection.sock is not None
        try:
            return self._ask(headers, body)
        except (OSError, http.client.HTTPException):
            self.disconnect()
            # The server may have closed an idle connection.
            if not is_used:
                raise
        try:
            return self._ask(headers, body)
        except BaseException:
            self.disconnect()
            raise

    def _ask(self, headers: dict[str, str], body: bytes) -> _Answer:
        self._connection.request("POST", f"{self._path}/batch", body, headers)
        response = self._connection.getresponse()
        return _read_answer(response, response.read())

    def missing(self, keys: list[str]) -> list[str]:
        """Ask which keys the server does not know. Any thread may ask, so the connection is another one."""
        connection = self._connect()
        try:
            headers = {**self._headers, "Content-Type": "application/json"}
            connection.request("POST", f"{self._path}/missing", json.dumps({"keys": keys}), headers)
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        if response.status != 200:
            raise RuntimeError(str(_read_answer(response, text).trouble))
        missing: list[str] = json.loads(text)["data"]["missing"]
        return missing

    def disconnect(self) -> None:
        self._connection.close()

    def interrupt(self) -> None:
        """Wake the thread that waits for an answer."""
        if self._connection.sock:
            with contextlib.suppress(OSError):
                self._connection.sock.shutdown(socket.SHUT_RDWR)


@dataclass
class _Proxy:
    host: str
    port: int
    headers: dict[str, str]


def _read_proxy(url: urllib.parse.SplitResult) -> _Proxy | None:
    """Read the proxy that the environment names for a server."""
    address = urllib.request.getproxies_environment().get(url.scheme)
    if not address or urllib.request.proxy_bypass(url.netloc.rpartition("@")[2]):
        return None
    proxy = urllib.parse.urlsplit(address if "://" in address else f"http://{address}")
    if proxy.scheme != "http" or not proxy.hostname:
        # The address may have a password.
        raise ValueError(f"{url.scheme}_proxy: the address of the proxy does not begin with http://")
    headers = {}
    if proxy.username is not None:
        credentials = urllib.parse.unquote(f"{proxy.username}:{proxy.password or ''}")
        headers["Proxy-Authorization"] = f"Basic {base64.b64encode(credentials.encode()).decode()}"
    return _Proxy(proxy.hostname, proxy.port or 80, headers)


def _trust(ca: str | os.PathLike[str] | None) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if ca is not None:
        try:
            context.load_verify_locations(ca)
        except OSError as error:
            raise ValueError(f"ca: {os.fspath(ca)} has no certificates: {error}") from error
    return context


def _read_retry_after(text: str | None) -> float | None:
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
    error: Any = body.get("error")
    is_of_sluice = isinstance(error, dict) and "name" in error
    if not is_of_sluice:
        error = {"name": "UnexpectedAnswer", "message": f"the answer has status {status}"}
    refused: list[dict[str, Any]] | None = None
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
    version, change = response.headers.get("Sluice-Schema-Version", 0), response.headers.get("Sluice-Schema-Change")
    return _Answer(
        _Trouble(error["message"], status, error["name"]),
        refused,
        is_of_sluice,
        # 207 only if the answer is cut off.
        status in (207, 408, 500, 502, 503, 504) or is_busy,
        status == 413 or (status == 429 and not is_busy),
        retry_after,
        Stale(int(version), "stricter" if change == "stricter" else "looser") if change else None,
    )
