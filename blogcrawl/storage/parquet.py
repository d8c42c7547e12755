"""Posts as a Parquet file, a column per field, comments and media nested. Extra ``parquet``."""

from __future__ import annotations

from typing import Any

from blogcrawl.core.errors import UsageError
from blogcrawl.core.records import Comment, MediaFile, Post
from blogcrawl.packaging.records import encode, post_to_json
from blogcrawl.storage.selection import Export, read_post
from blogcrawl.storage.temporary import new_file

_BATCH = 200
_TIMES = frozenset({"published", "modified", "fetched_at"})
_INTEGERS = frozenset({"comments_shown", "http_status", "size"})


def _schema(pa: Any) -> Any:
    def simple(name: str) -> Any:
        return pa.int64() if name in _INTEGERS else pa.string()

    def list_of(record: Any) -> Any:
        fields = [(name, simple(name)) for name in record.__dataclass_fields__]
        return pa.list_(pa.struct(fields))

    special = {
        **dict.fromkeys(_TIMES, pa.timestamp("us", tz="UTC")),
        "authors": pa.list_(pa.string()),
        "tags": pa.list_(pa.string()),
        "comments": list_of(Comment),
        "media": list_of(MediaFile),
        "rendered": pa.bool_(),
    }
    columns = [(name, special.get(name, simple(name))) for name in Post.__dataclass_fields__]
    return pa.schema([("blog_id", pa.string()), *columns])


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
            record |= {name: getattr(post, name) for name in _TIMES}
            record["extraction"] = encode(record["extraction"]).decode()
            batch.append({"blog_id": row.blog_id, **record})
            count += 1
            if len(batch) >= _BATCH:
                writer.write_batch(pa.RecordBatch.from_pylist(batch, schema=schema))
                batch.clear()
            job.report(count)
        if batch:
            writer.write_batch(pa.RecordBatch.from_pylist(batch, schema=schema))
    return count
