"""What a crawl leaves, as evidence of completeness. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from blogcrawl.core.evidence import SEVERAL, SOME
from blogcrawl.crawling.report import End, Missing
from blogcrawl.dates.edtf import is_coarse
from blogcrawl.dates.url_date import list_month, url_day
from blogcrawl.frontier.completeness import Loss
from blogcrawl.frontier.list_lengths import CUT_SHARE, LEAST_CUT, MAX_LISTED, is_usual_cut
from blogcrawl.frontier.overview import Leftovers
from blogcrawl.frontier.stop import QUIET_PAGES

if TYPE_CHECKING:
    from blogcrawl.discovery.knowledge import SiteKnowledge

_COUNTED = re.compile(r"(?:^|[/=])0{0,9}([0-9]{1,9})(?=[/.&]|$)")
SEE = "see `show --rejected`"
COUNTED = 0.99
"""Share of the archived posts that a blog states for its months, from which these have all."""
WINDOWED = (
    "all {} posts are in the feed or on the start page, which show so many of more on other blogs, "
    "and nothing leads to older ones"
)
MORE = "only the newest posts were shown, and nothing says how many are older: {}"
SEARCH = "there is a search of the blog, and no list"
RANDOM = "a link leads to a random post, and no list to all"
FORMER = "the start page calls {} the place of its older posts"
NOT_MAPPED = "the sitemap lacks {} of {} posts of the feed"
FILES = "{} files (PDF and the like) are listed among the posts"
APART = "no list shows the newest posts, and nothing says how many are between these and the others"
OLDER_ELSEWHERE = "a list calls {} the page of its older posts"
CUT_MONTHS = "the lists of {} months end at as many posts each, amid the month"
LEAST_NUMBERED, NUMBERED_SHARE = 5, 0.8
IMPORTED = 2
"""Steps from post to post where an engine numbers nothing else: it counts files and drafts too."""
OUTSIDE = "the blog has another language at {}, outside the address asked for"
LANGUAGE = "the blog has another language behind {}, which leads back to the start page"
UNDIVIDED = "{} of {} posts have lines of several days, and may be several posts each"
CITED = (
    "lists lack {} of {} posts that texts of other posts mention, and nothing says how many of "
    "those that none mentions"
)
BETWEEN = "{} missing posts are linked from one side only, and other posts may be behind them"
ONE_LIST = "the only list has {} posts, and lists of so many are often cut there"
ALONE_LIST = "nothing but a list of {} posts says that none is older"
ALONE_MAP = "nothing but the sitemap says that no post is older"
ALONE_CAPTURES = (
    "a web archive was read: posts that it lacks and none of its pages links are unknown"
)
CUT_MAP = "the sitemap has {} addresses, and may be cut there"
BEGINS_LATE = "the posts have numbers that begin as if about as many were older"
SINCE = "the start page names {} as its first year, and the oldest post is of {}"
GAP = 3.0
"""Gaps between two posts of a month to which that before the first of it comes, from which its list
is cut: where one writes evenly it is half of one."""
UNSEEN = "posts that no page has shown, by how often the others were seen"


def page_losses(pages: Sequence[Missing], rejected: Iterable[Mapping[str, Any]]) -> list[Loss]:
    """Return pages that could not be read, and pages that were ``rejected`` (as
    ``report.remembered`` has them).
    """
    alive = [page for page in pages if not page.dead]
    lost = [page.chance for page in alive if page.may_be_post]
    unlikely = [page.chance for page in alive if not page.may_be_post]
    listed, others = _rejected_chances(rejected, {page.url for page in pages})
    return [
        Loss.of_pages("{} posts missing", lost, is_known=True),
        Loss.of_pages("{} other pages could not be read", unlikely),
        Loss.of_pages(f"{{}} pages of the sitemap were read and taken for no post: {SEE}", listed),
        Loss.of_pages(f"{{}} other pages were read and taken for no post: {SEE}", others),
    ]


def _rejected_chances(
    rejected: Iterable[Mapping[str, Any]], counted: Container[str]
) -> tuple[list[float], list[float]]:
    """Return the probabilities of the pages that are not counted yet: of those that a sitemap
    lists, and of the others."""
    left = [page for page in rejected if page["url"] not in counted]
    listed = [page["probability"] for page in left if page["listed"]]
    return listed, [page["probability"] for page in left if not page["listed"]]


def list_loss(pages: Sequence[Missing], behind: float, *, proved: bool = False) -> Loss:
    """Return lists and documents that could not be read, with ``behind`` posts expected on them.

    ``proved``: other ways have shown all posts; then none is known to be behind the lists.
    """
    lists = sum(bool(page.new_posts) and not page.dead for page in pages)
    return Loss("{} lists could not be read", lists, behind, behind, is_known=not proved)


def frontier_losses(end: End, left: Leftovers, *, counted_out: bool = False) -> list[Loss]:
    """Return pages that were not requested, and posts that no page has shown; of these none where
    they are ``counted_out``."""
    posts = sum(chance * pages for chance, pages in left.pending_chances)
    variance = sum(chance * (1 - chance) * pages for chance, pages in left.pending_chances)
    cited = left.cited.unseen if left.cited is not None else 0.0
    unseen = 0.0 if counted_out else max(end.unseen, left.unlisted, cited)
    once, between = left.between
    return [
        Loss(BETWEEN, once, between, between),
        Loss("{} pages were not asked for", left.pending_count, posts, variance),
        Loss(UNSEEN, 0, unseen, unseen),
    ]


def month_loss(lists: Iterable[str], published: Sequence[datetime | None], today: date) -> Loss:
    """Return lists of months that were not requested, of months in which no archived post was
    ``published``: as many posts are expected in each as in the months that have some.
    """
    days = [day.date() for day in published if day is not None]
    known = {(day.year, day.month) for day in days}
    around = _months_around(days)
    listed = {
        month for url in lists if (month := list_month(url)) is not None and _is_past(url, today)
    }
    lost = len(listed - around.keys())
    undated = len(published) - len(days)
    posts = max(0.0, lost * len(days) / len(known) - undated) if known else 0.0
    return Loss("{} months have a list and no post in the archive", lost, posts, is_known=True)


def cut_months(published: Sequence[datetime | None], lists: int) -> Loss:
    """Return the posts of months whose ``lists`` show only the newest so many: most months have as
    many posts as the longest, and their first part none, as long as several gaps between others.
    """
    months = _days_by_month(published) if lists else []
    longest = max(map(len, months), default=0)
    full = [days for days in months if len(days) == longest]
    if min(longest, len(full)) < LEAST_CUT or len(full) < CUT_SHARE * len(months):
        return Loss(CUT_MONTHS, 0, 0.0)
    gap = _middle([(days[-1] - days[0]) / (longest - 1) for days in full])
    if not gap or _middle([days[0] for days in full]) <= GAP * gap:
        return Loss(CUT_MONTHS, 0, 0.0)
    posts = sum(max(0.0, days[0] / gap - 0.5) for days in full)
    return Loss(CUT_MONTHS, len(full), posts, posts, is_known=True)


def _days_by_month(published: Iterable[datetime | None]) -> list[list[float]]:
    """Return of each month when its posts came, in days since it began."""
    months: dict[tuple[int, int], list[float]] = {}
    for moment in filter(None, published):
        since = moment.day - 1 + (moment.hour + moment.minute / 60) / 24
        months.setdefault((moment.year, moment.month), []).append(since)
    return [sorted(days) for days in months.values()]


def begins_late(
    numbers: Sequence[tuple[float, int]], posts: int, *, in_address: bool = False
) -> bool:
    """Return whether the numbers that an engine gave most of the ``posts``, by their moment, say
    that about as many are older: they rise, and begin as far from one as they reach. Numbers
    without gaps are those of an import; those that posts have ``in_address`` count nothing else
    only where they have none, and are believed where they begin less late."""
    steps, counted = _steps(numbers, posts), [number for _, number in numbers]
    if not steps:
        return False
    begins = min(counted) > (SOME if in_address else 1) * (max(counted) - min(counted))
    return begins and (_middle(steps) > IMPORTED) is not in_address


def begins_early(numbers: Sequence[tuple[float, int]], posts: int) -> bool:
    """Return whether such numbers begin no further from one than a few posts are apart: hardly any
    is older."""
    steps = _steps(numbers, posts)
    return bool(steps) and min(number for _, number in numbers) <= SEVERAL * _middle(steps)


def _steps(numbers: Sequence[tuple[float, int]], posts: int) -> list[int]:
    """Return by how much the numbers rise from post to post, in order of size; none where only a
    part of the ``posts`` has numbers, or these do not rise."""
    if len(numbers) < max(LEAST_NUMBERED, NUMBERED_SHARE * posts):
        return []
    counted = [number for _, number in sorted(numbers)]
    steps = sorted(after - before for before, after in pairwise(counted))
    return steps if steps[int((1 - NUMBERED_SHARE) * len(steps))] > 0 else []


def number_in(url: str) -> int | None:
    """Return the number that an address gives a post (``/node/12``, ``?id=12``, ``/000012.html``);
    None where it has a day or a month, no number, or several."""
    found = _COUNTED.findall(url.partition("://")[2].partition("/")[2])
    return int(found[0]) if len(found) == 1 and list_month(url) is None else None


def cut_map(knowledge: SiteKnowledge) -> int:
    """Return how many addresses each sitemap that lists posts has, where it may be cut there; 0
    where it is not, or some have more than others."""
    posts = knowledge.sitemap_posts
    sizes = {size for url, size in knowledge.sitemap_sizes.items() if posts.get(url)}
    size = sizes.pop() if len(sizes) == 1 else 0
    return size if size >= MAX_LISTED and is_usual_cut(size) else 0


def _middle(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]


def unexplained_months(lists: Iterable[str], missing: Iterable[str]) -> list[str]:
    """Return the lists of months but those of which a ``missing`` post is by its address: that one
    counts already."""
    days = {day[:2] for url in missing if (day := url_day(url)) is not None}
    return [url for url in lists if list_month(url) not in days]


def incomplete_months(
    lists: Sequence[str],
    stated: Mapping[str, int],
    published: Sequence[datetime | None],
    today: date,
    read: Iterable[str] = (),
) -> list[str]:
    """Return the lists of months of which the archive lacks posts, those that lack most first, then
    those next to months with most posts: the blog has ``stated`` more for the month than are
    archived, or none is archived.

    Posts without a day may be of any month. Where they may be all that is lacking, none is returned
    once so many lists were ``read`` in vain as show that they are.
    """
    days = [day.date() for day in published if day is not None]
    around, undated = _months_around(days), len(published) - len(days)
    months = {(day.year, day.month) for moment in published if moment for day in _days_of(moment)}
    lacking = _lacking((url for url in lists if _is_past(url, today)), stated, around, months)
    is_explained = sum(lacking.values()) <= undated
    if is_explained and len(_lacking(read, stated, around, months)) >= QUIET_PAGES:
        return []
    return sorted(lacking, key=lambda url: (-lacking[url], -_posts_next_to(url, around)))


def _lacking(
    lists: Iterable[str],
    stated: Mapping[str, int],
    around: Mapping[tuple[int, int], int],
    months: Container[tuple[int, int]],
) -> dict[str, int]:
    """Return the lists of months of which posts are lacking, with the number: one where nothing is
    ``stated`` and the archive has none of the ``months``. Only where a number is stated, all of the
    days ``around`` a month count: they are no reason to leave a list unread.
    """
    found = {}
    for url in lists:
        month = list_month(url)
        if month is not None:
            number = stated.get(f"{month[0]}-{month[1]:02}")
            found[url] = int(month not in months) if number is None else number - around[month]
    return {url: number for url, number in found.items() if number > 0}


def _posts_next_to(url: str, around: Mapping[tuple[int, int], int]) -> int:
    """Return how many posts are of the months before and after that of a list."""
    month = list_month(url)
    if month is None:
        return 0
    number = 12 * month[0] + month[1] - 1
    return sum(around[near // 12, near % 12 + 1] for near in (number - 1, number + 1))


def _is_past(url: str, today: date) -> bool:
    """Return whether posts may have been published in the month of a list: it is no later than the
    next."""
    month = list_month(url)
    return month is not None and 12 * month[0] + month[1] <= 12 * today.year + today.month + 1


def _months_around(days: Iterable[date]) -> Counter[tuple[int, int]]:
    """Return how many of the days are of a month, or but a day from it."""
    return Counter(month for day in days for month in {(d.year, d.month) for d in _near(day)})


def uncounted(stated: Mapping[str, int], published: Sequence[datetime | None]) -> int:
    """Return how many posts fewer the archive has than the blog ``stated`` for some months and
    years, posts without a day taken to be of these."""
    held = sum(_may_be_of(day, stated) for day in published)
    return max(0, sum(stated.values()) - held)


def _may_be_of(day: datetime | None, stated: Container[str]) -> bool:
    """Return whether a post may be of one of the months and years."""
    if day is None or is_coarse(day):
        return True
    return f"{day:%Y-%m}" in stated or f"{day:%Y}" in stated


def is_counted_out(stated: Mapping[str, int], published: Sequence[datetime | None]) -> bool:
    """Return whether the blog ``stated`` for its months as many posts as are archived: it knows
    nothing either of posts that no page has shown."""
    total = sum(stated.values())
    return total >= COUNTED * len(published) > 0 and not uncounted(stated, published)


def _days_of(moment: datetime) -> Iterator[date]:
    """Return the days that a moment is of by any clock; midnight stands for its day."""
    half = timedelta(hours=12 if moment.time() != time() else 0)
    return (shifted.date() for shifted in (moment - half, moment + half))


def _near(day: date) -> Iterator[date]:
    """Return the day and those around it: blogs count in a time zone of their own."""
    return (day + timedelta(days=step) for step in (-1, 0, 1))


def to_json(losses: Iterable[Loss]) -> list[dict[str, Any]]:
    return [asdict(loss) for loss in losses if loss.posts]


def from_json(data: Iterable[Mapping[str, Any]]) -> list[Loss]:
    """Back from ``to_json``."""
    return [Loss(**loss) for loss in data]
