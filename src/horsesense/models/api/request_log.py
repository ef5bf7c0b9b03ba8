"""Log of answered requests as they were sent, written at once: a killed run pays for nothing twice.

One SQLite file in the run folder; without a folder, in memory while a model is in use. The folder stores its checksum
while nobody writes it: a killed process leaves it without one.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from horsesense.data import disk_errors
from horsesense.data.store import Store
from horsesense.errors import UserError

FILE = "requests.sqlite"


class RequestLog:
    """Replies of a server, by the hash of the request."""

    def __init__(self, folder: Path | None) -> None:
        self._path = None if folder is None else folder / FILE
        self._base: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        where = ":memory:" if self._path is None else str(self._path)
        if self._path is not None and self._path.is_file():
            Store(self._path.parent).check(self._path, "remove it; its requests are then sent again")
            Store(self._path.parent).forget(self._path)
        try:
            with disk_errors(where):
                # Used by the sending thread, one call at a time.
                self._base = sqlite3.connect(where, timeout=30, isolation_level=None, check_same_thread=False)
            if self._path is not None:
                self._base.execute("PRAGMA journal_mode=WAL")
                self._base.execute("PRAGMA synchronous=NORMAL")
            self._base.execute(
                "CREATE TABLE IF NOT EXISTS answered (request BLOB PRIMARY KEY, sent BLOB, reply BLOB) WITHOUT ROWID"
            )
            self._base.execute("CREATE TABLE IF NOT EXISTS batches (batch TEXT PRIMARY KEY, keys BLOB)")
        except sqlite3.Error as error:
            # Unlike a cache, this is required: a reply that cannot be stored would be paid for again.
            raise UserError(
                f"the log of requests cannot be written ({error})", file=where, fix="choose another folder"
            ) from error
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._base is not None:
            self._base.close()
            self._base = None
            if self._path is not None:
                with disk_errors(self._path):
                    Store(self._path.parent).record(self._path)

    def find(self, request: bytes) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Return the body as it was sent, and the reply."""
        assert self._base is not None
        row = self._base.execute("SELECT sent, reply FROM answered WHERE request = ?", (request,)).fetchone()
        return None if row is None else (_unpacked(row[0]), _unpacked(row[1]))

    def keep(self, request: bytes, sent: dict[str, Any], reply: dict[str, Any]) -> None:
        assert self._base is not None
        self._base.execute("INSERT OR REPLACE INTO answered VALUES (?, ?, ?)", (request, _packed(sent), _packed(reply)))

    def keep_batch(self, batch: str, keys: Sequence[str]) -> None:
        """Store the id of a submitted batch with the keys of its requests."""
        assert self._base is not None
        self._base.execute(
            "INSERT OR REPLACE INTO batches VALUES (?, ?)", (batch, zlib.compress(" ".join(keys).encode()))
        )

    def batches(self) -> list[tuple[str, list[str]]]:
        """Return the batches with requests that are not answered yet, and the keys of these."""
        assert self._base is not None
        open_batches = []
        for batch, packed in self._base.execute("SELECT batch, keys FROM batches ORDER BY rowid").fetchall():
            keys = zlib.decompress(packed).decode().split()
            if left := [key for key in keys if self.find(bytes.fromhex(key)) is None]:
                open_batches.append((str(batch), left))
        return open_batches

    def __len__(self) -> int:
        assert self._base is not None
        return int(self._base.execute("SELECT count(*) FROM answered").fetchone()[0])


def _packed(value: dict[str, Any]) -> bytes:
    return zlib.compress(json.dumps(value).encode(), 3)


def _unpacked(packed: bytes) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(zlib.decompress(packed))
    return value
