"""blogcrawl archives whole blogs as data, evidence and repository packages."""

import importlib
import os

__version__ = "0.1.0"

# numpy's matrix products here are small and there is one crawl a core: OpenBLAS threads that wait
# for one another (they spin) made the choice of the next page cost 60 times as much on a busy
# machine. Before numpy is imported; who sets it otherwise means it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

__all__ = ["Archive", "ArchivedBlog", "ArchivedPost", "BlogModel", "extract", "learn"]


def __getattr__(name: str) -> object:
    """Import the Python interface when one of its names is used; ``__init__.pyi`` types them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.api"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
