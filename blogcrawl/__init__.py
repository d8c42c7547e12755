"""blogcrawl archives whole blogs as data, evidence and repository packages."""

__version__ = "0.1.0"
