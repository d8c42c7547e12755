"""blogcrawl archives whole blogs as data, evidence and repository packages."""

import os

__version__ = "0.1.0"

# numpy's matrix products here are small and there is one crawl a core: OpenBLAS threads that wait
# for one another (they spin) made the choice of the next page cost 60 times as much on a busy
# machine. Before numpy is imported; who sets it otherwise means it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
