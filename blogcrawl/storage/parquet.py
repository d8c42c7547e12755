"""Posts as a Parquet file, a column per field, comments and media nested. Extra ``parquet``.

``published`` and ``modified`` are four columns each: the moment (empty if only a day, month or year
is known, or a time without its zone), the author's day, the precision, and the text of the JSON
lines, with the author's offset.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from blogcrawl.core.errors import UsageError
from blogcrawl.core.records import Comment, MediaFile, Post
from blogcrawl.dates.edtf import qualified_precision, written
from blogcrawl.packaging.records import encode, post_to_json
from blogcrawl.storage.selection import Export, identifiers, read_post
from blogcrawl.storage.temporary import new_file

_BATCH = 200
_DATES = ("published", "modified")
_INTEGERS = frozenset({"comments_shown", "http_status", "size"})


def _schema(pa: Any) -> Any:
    def simple(name: str) -> Any:
        return pa.int64() if name in _INTEGERS else pa.string()

    def list_of(record: Any) -> Any:
        fields = [(name, simple(name)) for name in record.__dataclass_fields__]
        return pa.list_(pa.struct(fields))

    special = {
        **dict.fromkeys((*_DATES, "fetched_at"), pa.timestamp("us", tz="UTC")),
        "authors": pa.list_(pa.string()),
        "tags": pa.list_(pa.string()),
        "comments": list_of(Comment),
        "media": list_of(MediaFile),
        "rendered": pa.bool_(),
    }
    columns = [(name, special.get(name, simple(name))) for name in Post.__dataclass_fields__]
    for name in _DATES:
        place = [column for column, _ in columns].index(name)
        columns[place + 1 : place + 1] = [
            (f"{name}_date", pa.date32()),
            (f"{name}_precision", pa.string()),
            (f"{name}_edtf", pa.string()),
        ]
    texts = [(name, pa.string()) for name in ("blog_id", "post_id", "aip_id")]
    return pa.schema([*texts, ("aip_version", pa.int64()), *columns])


def _date(name: str, moment: datetime | None) -> dict[str, Any]:
    """Return the columns of a date; of a month or year the day is its first."""
    if moment is None:
        return {name: None}
    known = qualified_precision(moment)
    return {
        name: moment if known == "time" else None,
        f"{name}_date": moment.date(),
        f"{name}_precision": known,
        f"{name}_edtf": written(moment),
    }


def write_parquet(job: Export) -> int:
    """Write the selected posts; how many.

    ``extraction`` is a JSON string. Raises UsageError without pyarrow.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError("Parquet needs pyarrow", advice="install blogcrawl[parquet]") from None
    schema = _schema(pa)
    count, batch = 0, []
    with (
        new_file(job.target, sync=True) as out,
        pq.ParquetWriter(out, schema, compression="zstd") as writer,
    ):
        for row in job.posts():
            post = None
            with job.left_out.guard(row.aip_id):
                post = read_post(job.store, row)
            if post is None:
                continue
            record = post_to_json(post)
            for name in _DATES:
                record |= _date(name, getattr(post, name))
            record["fetched_at"] = post.fetched_at
            record["extraction"] = encode(record["extraction"]).decode()
            batch.append({**identifiers(row), **record})
            count += 1
            if len(batch) >= _BATCH:
                writer.write_batch(pa.RecordBatch.from_pylist(batch, schema=schema))
                batch.clear()
            job.report(count)
        if batch:
            writer.write_batch(pa.RecordBatch.from_pylist(batch, schema=schema))
    return count
