from blogcrawl.api import Archive as Archive
from blogcrawl.api import ArchivedBlog as ArchivedBlog
from blogcrawl.api import ArchivedPost as ArchivedPost
from blogcrawl.api import extract as extract
from blogcrawl.api import learn as learn
from blogcrawl.extraction.model import BlogModel as BlogModel

__version__: str
