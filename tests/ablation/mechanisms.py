"""The mechanisms of induction and extraction, as data."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lxml.html import HtmlElement

from blogcrawl.core.page import Page, html_parser
from blogcrawl.extraction import decide
from blogcrawl.extraction.content.clean import clean_content
from blogcrawl.extraction.content.single_page import bare
from blogcrawl.induction.content_rules import RIGHT
from blogcrawl.induction.fingerprint import labels
from blogcrawl.induction.site_facts import TagFacts
from blogcrawl.text.visible import paragraphs
from tests.ablation.switch import Mechanism, in_place


def gives(value: Any) -> Callable[..., Any]:
    """A stand-in that always returns the value."""
    return lambda *args, **kwargs: value


def empty(kind: type) -> Callable[..., Any]:
    """A stand-in that returns a new empty collection."""
    return lambda *args, **kwargs: kind()


def argument(number: int = 0) -> Callable[..., Any]:
    """A stand-in that returns one of its arguments."""
    return lambda *args, **kwargs: args[number]


@in_place
def nothing(*args: Any, **kwargs: Any) -> None:
    """The stand-in of a function that changes its argument."""


@in_place
def no_line(*args: Any, **kwargs: Any) -> int:
    return 0


@in_place
def all_text(root: HtmlElement, *args: Any, **kwargs: Any) -> str:
    return paragraphs(root)


def only_node(page: Page, node: HtmlElement) -> HtmlElement:
    holder: HtmlElement = html_parser().makeelement("div")
    holder.append(bare(node))
    return holder


def cleaned(page: Page, node: HtmlElement, title: str | None, dated: str | None, *more: Any) -> Any:
    return clean_content(node, page, title=title, dated=dated)


def all_own(model: Any, page: Any) -> bytearray:
    return bytearray(b"\x01" * len(page.words))


YES = gives(True)
NO = gives(False)
NONE = gives(None)


def _one(name: str, target: str, neutral: Any) -> Mechanism:
    return Mechanism(name, ((target, neutral),))


def _feature(name: str, policy: str, feature: str) -> Mechanism:
    """A feature or precedence of a policy, switched off by leaving it out."""
    whole = getattr(decide, policy)
    without = replace(
        whole,
        features=tuple(f for f in whole.features if f.name != feature),
        precedence=tuple(f for f in whole.precedence if f.name != feature),
    )
    if without == whole:
        raise ValueError(f"{policy} has no feature {feature!r}")
    return _one(name, f"{_DECIDE}{policy}", without)


def _method(name: str, target: str, learns: bool = False) -> Mechanism:
    parts = (
        ["extract", "supplement"]
        if target.endswith(("KeyPaths", "MetadataExtractor"))
        else ["extract"]
    )
    parts += ["learn"] if learns else []
    return Mechanism(name, tuple((f"{target}.{part}", NONE) for part in parts))


_FIELDS, _CONTENT, _PAGES = "extraction.fields.", "extraction.content.", "extraction.pages."
_CLASSIFIER = "extraction.pages.classifier:"
_SELF, _DECIDE = "extraction.methods.self_training:", "extraction.decide:"
_LOCATE, _REPEATED = "comments.locate:", "comments.repeated_blocks:"
_AUTHOR, _CHOICE, _BODY = "comments.author:", "comments.fields:", "comments.body:"
_CANDIDATES, _READER = "comments.candidates:", "comments.page_reader:"

COMMENTS = (
    # where comments stand
    _one("comments: by ids", f"{_LOCATE}_by_number", empty(dict)),
    _one("comments: by microformats", f"{_LOCATE}_is_marked", NO),
    _one("comments: by classes", f"{_LOCATE}_unit_names", empty(set)),
    _one("comments: by their texts", f"{_LOCATE}_names_text", NO),
    _one("comments: bylines in cells of tables", f"{_LOCATE}_table_of", empty(list)),
    _one("comments: made alike", f"{_LOCATE}_made_alike", empty(list)),
    _one("comments: answers behind dates", f"{_LOCATE}_box_behind_date", NONE),
    _one("comments: lists of one", f"{_LOCATE}_items", empty(list)),
    _one("comments: last lines", f"{_CANDIDATES}_set_last_line_apart", nothing),
    _one("comments: by repetition", f"{_LOCATE}repeated_blocks", empty(list)),
    _one("comments: lines above forms", f"{_REPEATED}_is_bold_line", NO),
    _one("comments: by repetition: turns", f"{_REPEATED}_taking_turns", empty(list)),
    _one("comments: by repetition: flat lists", f"{_REPEATED}flow_units", empty(list)),
    _one("comments: by repetition: bylines without marks", f"{_REPEATED}_close_texts", NO),
    _one("comments: by repetition: names above bylines", f"{_REPEATED}_are_named_above", NO),
    _one("comments: by repetition: behind forms", f"{_REPEATED}behind_forms", empty(list)),
    _one("comments: by repetition: sections", f"{_REPEATED}_sections", empty(list)),
    _one("comments: by repetition: labels", f"{_REPEATED}_labels", empty(list)),
    _one("comments: by repetition: nested", f"{_REPEATED}_with_nested", argument()),
    _one("comments: by repetition: no teasers", f"{_REPEATED}is_teaser", NO),
    _one("comments: lone anchors", f"{_LOCATE}box_alone", empty(list)),
    _one("comments: boxes full of a byline", f"{_LOCATE}_filled", argument()),
    _one("comments: dates behind labelled names", f"{_AUTHOR}before_date", argument()),
    _one("comments: definitions", f"{_LOCATE}definitions", empty(list)),
    _one("comments: bylines next to texts", f"{_LOCATE}_with_bylines", argument()),
    _one("comments: not in sidebars", f"{_LOCATE}not_comments", empty(set)),
    _one("comments: plausible", f"{_LOCATE}plausible", argument()),
    _one("comments: weak numbers", f"{_LOCATE}_called_comments", YES),
    _one("comments: in the content", f"{_READER}numbered_in", empty(list)),
    _one("comments: content by text", f"{_READER}_deepest", NONE),
    _one("comments: pieces of the content", f"{_READER}content_pieces", empty(set)),
    _one("comments: signed ones", f"{_READER}_is_signed", YES),
    _one("comments: where mentions are from", f"{_READER}_name_mention", nothing),
    _one("comments: kinds", f"{_READER}_kind", NONE),
    _one("comments: lists of mentions", "comments.mentions:_is_list", NO),
    _one("comments: times behind days", f"{_CHOICE}_add_times", nothing),
    # author and date
    _one("comments: heads in the box before", f"{_CANDIDATES}_move_heads", nothing),
    _one("comments: parts at breaks", f"{_CANDIDATES}_part_at_break", NO),
    _one("comments: dates in parts", f"{_CANDIDATES}joined_parts", gives("")),
    _one("comments: dates in addresses", f"{_CANDIDATES}_STAMPED", re.compile("(?!)")),
    _one("comments: dates in attributes", f"{_CANDIDATES}_machine_date", NONE),
    _one("comments: dates without a year", f"{_READER}date_without_year", nothing),
    _one("comments: times ago", f"{_READER}date_by_time_ago", nothing),
    _one("comments: links are names", f"{_CANDIDATES}_is_link", NO),
    _one("comments: no names in quotes", f"{_CANDIDATES}_in_quote", NO),
    _one("comments: names around the first", f"{_CHOICE}_around_the_first", empty(set)),
    _one("comments: better names within", f"{_CHOICE}_within", argument(2)),
    _one("comments: no names in the text", f"{_CHOICE}_is_in_body", NO),
    _one("comments: titles give way", f"{_CHOICE}titles_give_way", nothing),
    _one("comments: bylines of others", f"{_CHOICE}learn_byline", NONE),
    _one("comments: names in bylines", f"{_CHOICE}from_byline", NONE),
    _one("comments: names with labels", f"{_CHOICE}labelled", nothing),
    _one("comments: names in frames", f"{_CHOICE}framed", nothing),
    _one("comments: names next to dates", f"{_CHOICE}beside_the_date", NO),
    _one("comments: marked names", f"{_AUTHOR}marked_name", NONE),
    _one("comments: by repetition: anchors", f"{_REPEATED}is_anchor_of_comments", NO),
    _one("comments: lists of the latest", f"{_REPEATED}heads_latest", NO),
    _one("comments: days of the week", f"{_AUTHOR}with_weekday", argument(1)),
    _one("comments: roles", f"{_AUTHOR}_is_role", NO),
    _one("comments: dates in names", f"{_AUTHOR}_is_date", NO),
    # text
    _one("comments: controls", f"{_BODY}strip_controls", nothing),
    _one("comments: controls by name", f"{_BODY}_is_control", NO),
    _one("comments: controls by link", f"{_BODY}_is_control_link", NO),
    _one("comments: repeated labels", f"{_BODY}drop_repeated", nothing),
    _one("comments: last link", f"{_BODY}cut_last_link", nothing),
    _one("comments: common edges", f"{_BODY}cut_edges", nothing),
    _one("comments: subjects", f"{_BODY}_cut_subject", nothing),
    _one("comments: bylines cut", f"{_BODY}_cut_byline", nothing),
    _one("comments: names before dates", f"{_BODY}_drop_names_before", nothing),
    _one("comments: boxes of bylines", f"{_BODY}_byline_top", NONE),
    _one("comments: named texts", f"{_BODY}_named", empty(list)),
    _one("comments: texts in the usual place", f"{_BODY}_usual_path", gives("")),
    # rules
    _one("comments: learned nodes", "comments.learn:_learn_units", gives([])),
    _one("comments: learned widened", "comments.learn:_widen", NONE),
    _one("comments: learned clock", "comments.learn:zones_of", empty(tuple)),
    _one("comments: learned day order", "comments.learn:_day_first", NONE),
)

MECHANISMS = (
    *COMMENTS,
    # what a feed's entries are worth
    _one("placeholder authors", f"{_FIELDS}blog_owner:named", argument()),
    _one(
        "fields filled from pages",
        f"{_SELF}completed",
        lambda samples, ruleset: (list(samples), []),
    ),
    _one("useless methods", f"{_SELF}unanswered", lambda *args: ([], {})),
    _one("misnamed author", f"{_SELF}misnamed", NONE),
    _one("keys of accounts", f"{_SELF}account_names", empty(list)),
    _one("document's capitals", f"{_SELF}recased", NO),
    _one("foreign document titles", f"{_SELF}named_by_heads", NONE),
    _feature("what documents are called", "TITLE", "not what the document is called, as posts are"),
    _feature("titles of other pages", "TITLE", "another page's"),
    _feature(
        "documents of untitled posts",
        "TITLE",
        "the site's, where documents are called as posts are",
    ),
    _feature("parts of the site's names", "TITLE", "in a document's title that is the site's"),
    _feature("words for no title", "TITLE", "what stands for no title"),
    _one("texts that pages mark", f"{_SELF}with_marked_text", argument()),
    _one("dates in other forms", "induction.apply:only_date", NONE),
    _one("posts of accounts", f"{_DECIDE}_is_of_account", NO),
    # blogs without a feed
    _one("common titles", f"{_SELF}common_titles", empty(frozenset)),
    _one("link texts as titles", f"{_SELF}_link_texts", empty(dict)),
    _one("titles next to the day", f"{_FIELDS}title_lines:_side_of_day", gives("")),
    _one("links of readers", f"{_FIELDS}authors:_is_readers", NO),
    _one("lists, where parts begin", "extraction.pages.learn_dated_parts:_are_lists", NO),
    _one("views read first", "extraction.pages.post_views:_is_added", NO),
    _one("days in links to posts", f"{_SELF}_may_name", YES),
    _one("headings below a masthead", f"{_SELF}_add_own_headings", nothing),
    _one("method confirmed by pages", f"{_SELF}_confirmed", NONE),
    _one("usual place of contents", f"{_CONTENT}usual_place:_moved", argument()),
    _one("recurring authors", f"{_SELF}_recurring", empty(frozenset)),
    _one("authors where they change", "induction.author_rules:_follows", YES),
    _one("guests of whom no sample is", "extraction.decide:_is_by_a_guest", NO),
    _one("lines of code", f"{_FIELDS}date_line:_is_of_code", NO),
    _one("titles of their own", f"{_SELF}_leave_own_titles", nothing),
    _one("template: parts", "induction.template:TemplateModel.parts", empty(list)),
    _one("opening lines", "extraction.methods.generic:opening", gives((None, None))),
    _one("contents of one extent", "extraction.model:aligned", empty(list)),
    _one("words of lines of data", "induction.edge_boilerplate:_words_of_data", empty(list)),
    _one("edges without a feed", f"{_CONTENT}boilerplate:without_outskirts", argument()),
    # the blog
    _one("blog owner", f"{_FIELDS}blog_owner:usual_author", NONE),
    _one("owner: cards", f"{_FIELDS}blog_owner:_cards", empty(list)),
    _one("owner: boxes", f"{_FIELDS}blog_owner:_boxes", empty(list)),
    _one("owner: introductions", f"{_FIELDS}blog_owner:_introductions", lambda body: iter(())),
    _one("owner: blog's title", f"{_FIELDS}blog_owner:_owners", empty(list)),
    _one("copyright holder", f"{_FIELDS}author_lines:copyright_holder", NONE),
    _one("titles of few pages", f"{_SELF}titles_of_few", empty(set)),
    _one("headings of all pages", f"{_FIELDS}names:same_headings", empty(list)),
    _one("page fingerprint", "induction.fingerprint:learn_marks", NONE),
    _one(
        "page fingerprint: entries of lists",
        "induction.fingerprint:_once",
        labels,
    ),
    _one("teasers", "dom.teasers:_is_full", NO),
    _one("no moments as titles", f"{_DECIDE}_is_sites_and_moment", NO),
    _one("days from lists", "extraction.model:BlogModel.list_day", NONE),
    _one("titles from lists", "extraction.model:_title_of_lists", empty(dict)),
    _one("site menu", f"{_PAGES}listing:site_menu", empty(list)),
    _one("parts of the site", f"{_PAGES}listing:parts_of_site", empty(list)),
    _one("quoted links in lists", f"{_PAGES}listing:_without_quoted", argument()),
    _one("dates before list items", f"{_PAGES}listing:_date_before", gives((None, False))),
    _one("years above list items", f"{_PAGES}listing:_years_above", empty(dict)),
    _one("flat lists", f"{_PAGES}listing:_first_date", gives((None, False))),
    # methods
    Mechanism(
        "key-paths",
        (
            ("contrib.keypath:KeyPaths.extract", NONE),
            ("contrib.keypath:KeyPaths.supplement", NONE),
            ("contrib.keypath:KeyPaths.learn", NONE),
            ("contrib.keypath:KeyPaths.recognise", NONE),
        ),
    ),
    _method("metadata method", "extraction.methods.metadata:MetadataExtractor"),
    _one("series: named tables", "induction.series:_is_named_so", NO),
    _one("series: below a label", "induction.series:_is_headed", NO),
    _one("scorer: below a label", "extraction.methods.generic:said_below", gives(range(0))),
    _one("library: menus", "extraction.methods.generic:_are_links", NO),
    _method("series", "induction.series:SeriesExtractor", True),
    _method("E-mCST", "contrib.mcst:McstExtractor", True),
    _method("SVM", "contrib.svm:SvmExtractor"),
    _method("generic method", "extraction.methods.generic:GenericExtractor"),
    # rules
    _one("drop rules", "induction.drop_rules:drops", empty(list)),
    _one("drop rules: named boxes", "induction.drop_rules:_names_of_boxes", empty(frozenset)),
    _one("drop rules: other methods", "induction.apply:names_content", NO),
    _one("unlabelled drops", "induction.unlabelled_drops:unnamed_drops", empty(list)),
    _one("unlabelled drops: edges", "induction.unlabelled_drops:_by_edge", empty(list)),
    _one("unlabelled drops: headings", "induction.unlabelled_drops:_by_heading", empty(list)),
    _one("unlabelled drops: lists", "induction.unlabelled_drops:_below_heading", empty(list)),
    _one("unlabelled drops: beginnings", "induction.unlabelled_drops:_by_beginning", empty(list)),
    _one("edges of excerpts", "induction.drop_rules:_edges", empty(list)),
    _one(
        "recurring comments",
        "induction.recurring_comments:varying_blocks",
        lambda pages: [set() for _ in pages],
    ),
    _one("template: own words", "induction.template:TemplateModel.own_words", all_own),
    _one("asides by shape", "induction.page_specific:shaped", empty(list)),
    _one("labels of asides", "induction.page_specific:labels_of", empty(set)),
    _one("neighbouring zones", "induction.page_specific:clear_away", nothing),
    _one("bylines in excerpts", "induction.page_specific:byline_nodes", empty(list)),
    _one("single paragraphs", "induction.content_rules:_is_piece", NO),
    _one("media outside the text", "extraction.content.media_places:own_places", empty(list)),
    _one("low content scores", "induction.content_rules:least_right", gives(RIGHT)),
    _one("removable parts", "induction.content_rules:Own._removable", gives(0)),
    _one("text near excerpts", "induction.content_rules:Own._near_excerpt", gives(range(0))),
    _one("rules of single pages", "induction.select_rules:_better_alone", empty(list)),
    _one("pages unlike the first", "induction.validate_rules:Trials.unlike", empty(dict)),
    _one(
        "names under a summary",
        "extraction.decide:without_source",
        lambda entry: entry.summary_html or "",
    ),
    _one("title affixes", "induction.scoring:affixes", NONE),
    _one("rules of several authors", "induction.author_rules:_of_several_authors", empty(list)),
    _one("words around an author", "induction.author_rules:_around", gives(("", ""))),
    _one(
        "dates of another clock",
        "induction.date_rules:_ruled_by_another_clock",
        argument(2),
    ),
    _one("no dates of comments", "induction.date_rules:_in_comments", NO),
    _one("second place of tags", "induction.tag_rules:_with_second_place", argument()),
    _one("tags of sidebars", "induction.tag_rules:_in_sidebar", NO),
    _one("zones that fit a clock", "dates.zones:_named", empty(dict)),
    _one("clock offsets", "induction.induce:_clocks", empty(list)),
    _one("day offsets", "induction.induce:_day_steps", empty(list)),
    # decisions
    _one("known names near the title", f"{_DECIDE}_known_name", empty(list)),
    _feature("further authors", "AUTHORS", "all authors of the byline"),
    _feature("accounts without a name", "AUTHORS", "an account without a name"),
    _feature("days of changes", "PUBLISHED", "later than what is as well proved"),
    _feature("learned order of day and month", "PUBLISHED", "day and month as no rule reads them"),
    _feature("mislabelled clocks", "PUBLISHED", "local time labelled as UTC"),
    _one("selectors of changes", "induction.date_rules:_unlike_changes", argument()),
    _one("uncut titles", f"{_DECIDE}_uncut", argument()),
    _one("marks in titles", f"{_DECIDE}_with_marks", argument()),
    _one("signs at titles", f"{_DECIDE}_without_sign", argument()),
    _one("section headings", f"{_FIELDS}headings:without_section", argument()),
    _one("logins", f"{_FIELDS}names:called", argument()),
    _one("parts of longer titles", f"{_FIELDS}headings:is_part", NO),
    _one("titles that go together", f"{_FIELDS}headings:goes_with", YES),
    _one("newsrooms", f"{_FIELDS}names:is_newsroom", NO),
    _one("capitals of titles", f"{_FIELDS}byline:spelled", argument()),
    _one("reworded titles", f"{_FIELDS}headings:is_reworded", NO),
    # pages of several posts
    _one("days as lines", f"{_PAGES}learn_dated_parts:day_lines", empty(list)),
    _one("days behind headings", f"{_PAGES}day_lines:_end_line", nothing),
    # content
    _one("pruning", f"{_CONTENT}prune:prune", all_text),
    _one("pruning by label", f"{_CONTENT}prune:_suspects", empty(list)),
    _one("pruning by link type", f"{_CONTENT}prune:_meta_blocks", empty(list)),
    _one("boxes in place of text", f"{_CONTENT}clean:_is_gate", NO),
    _one("lists of tags amid the text", f"{_CONTENT}prune:_amid_text", empty(set)),
    _one("bylines of short posts", f"{_CONTENT}prune:_is_signed", NO),
    _one("inline comments", f"{_CONTENT}inline_comments:drop_said_below", nothing),
    _one("trackbacks below the text", f"{_CONTENT}inline_comments:drop_pings_below", nothing),
    _one("comments behind forms", f"{_CONTENT}inline_comments:drop_said_behind_forms", nothing),
    _one("line numbers", f"{_CONTENT}line_numbers:drop_line_numbers", nothing),
    _one("names of code's languages", f"{_CONTENT}line_numbers:drop_language_names", nothing),
    _one("front edge", f"{_CONTENT}edges:drop_front", nothing),
    _one("title in the content", f"{_CONTENT}edges:drop_title", nothing),
    _one("date in the content", f"{_CONTENT}edges:drop_date", nothing),
    _one("date below the title", f"{_CONTENT}edges:_drop_date_line", nothing),
    _one("title as a line", f"{_CONTENT}edges:_drop_title_lines", nothing),
    _one("foot with the date", f"{_CONTENT}edges:drop_foot", no_line),
    _one("foot with the author", f"{_CONTENT}edges:_is_dated_so", NO),
    _one("headings at the end", f"{_CONTENT}edges:drop_last_headings", no_line),
    _one("last line of the page itself", f"{_CONTENT}edges:drop_own_line", no_line),
    _one("last line of tags", f"{_CONTENT}edges:_is_of_tags", NO),
    _one("label of tags", f"{_CONTENT}edges:_drop_tag_label", no_line),
    _one("hidden text with a control", f"{_CONTENT}prune:_can_be_shown", NO),
    _one("covers", f"{_CONTENT}cover:cover", NONE),
    _one("backgrounds", f"{_CONTENT}pictures:_show_backgrounds", nothing),
    _one("drawings", f"{_CONTENT}drawings:drawings_to_pictures", nothing),
    _one("listings by script", f"{_CONTENT}embeds:script_embeds_to_frames", nothing),
    _one("noscript pictures", f"{_CONTENT}pictures:_open_noscript", nothing),
    _one("embeds", f"{_CONTENT}embeds:embeds_to_links", in_place(lambda *args: [])),
    _one("formulas", f"{_CONTENT}embeds:tex_to_text", nothing),
    # a page alone
    _one("single-page content", "extraction.methods.single_page:lone_content", cleaned),
    _one("repeated texts", "extraction.model:repeated_texts", empty(list)),
    _one("whole post of a node", f"{_CONTENT}single_page:whole_post", only_node),
    _one("leads", f"{_CONTENT}single_page:leads", empty(list)),
    _one("unrelated parts", f"{_CONTENT}unrelated:unrelated", empty(set)),
    _one("unrelated: links", f"{_CONTENT}unrelated:_links", empty(set)),
    _one("unrelated: other sites", f"{_CONTENT}unrelated:_is_elsewhere", NO),
    _one("unrelated: related", f"{_CONTENT}unrelated:_related", empty(set)),
    _one("unrelated: labels above", f"{_CONTENT}unrelated:_label_above", NONE),
    _one("unrelated: around", f"{_CONTENT}unrelated:_around", empty(set)),
    _one("article body", "extraction.methods.single_page:stated_body", NONE),
    _one("library fallback", "extraction.methods.fallback:library_content", NONE),
    # lines of author and date
    _one("date lines of comments", f"{_FIELDS}date_line:_days_of_answers", empty(set)),
    _one("links named as months", "crawling.learning:names_month", NO),
    _one("date lines", f"{_FIELDS}date_line:visible_dates", empty(list)),
    _one("times in other lines than the day", f"{_FIELDS}moment_lines:clock_apart", NONE),
    _one("lines of a change", f"{_FIELDS}moment_lines:change_near", NONE),
    _one("changes of the site", f"{_FIELDS}moment_lines:is_change_of_site", NO),
    _one("declared changes", "extraction.methods.metadata:declared_changes", empty(list)),
    _one("mislabelled changes", f"{_FIELDS}moment_lines:change_on_clock", empty(dict)),
    _one("date near the title", f"{_FIELDS}date_near_title:days_aside", empty(list)),
    _one("times ago", f"{_FIELDS}time_ago:times_ago", empty(list)),
    _one("author lines", f"{_FIELDS}author_lines:visible_authors", empty(list)),
    _one("name next to a date", f"{_FIELDS}author_lines:_name_next_to_date", NONE),
    _one("icon before a name", f"{_FIELDS}author_lines:_has_icon", NO),
    _one("name before a time", f"{_FIELDS}author_lines:_before_time", gives("")),
    _one("usual byline", "extraction.model:usual_byline", NONE),
    _one("other templates of the same layout", "extraction.model:lacks_most", NO),
    _one("signed lines", f"{_FIELDS}usual_byline:_signer", gives("")),
    _one("names before hours", f"{_FIELDS}usual_byline:_before_hour", gives("")),
    _one("feet of posts", f"{_FIELDS}byline:_is_foot_of_post", NO),
    _one("author markup", f"{_FIELDS}authors:markup_authors", lambda page: iter(())),
    _one("portraits", f"{_FIELDS}authors:_portrayed", gives("")),
    _one("authors of other posts", f"{_FIELDS}authors:_is_of_another", NO),
    _one("authors next to posts", f"{_FIELDS}authors:_is_adjacent", NO),
    _one("authors called like headlines", f"{_FIELDS}authors:_is_headline", NO),
    _one("several people in a line", f"{_FIELDS}people:_joined", lambda text: [text]),
    _one("weighed authors", f"{_FIELDS}people:weighed", lambda page, names: list(names)),
    _one("names in full", f"{_FIELDS}people:_in_full", argument()),
    # tags
    _one(
        "single-page tags", f"{_FIELDS}single_page_tags:own_tags", lambda page, values: list(values)
    ),
    _one("tags amid the text", "extraction.model:drop_tags_in_text", NONE),
    _one("learned tags", f"{_FIELDS}tag_links:learn_tags", empty(TagFacts)),
    _one("second source of tags", f"{_FIELDS}tag_links:_second", NONE),
    _one("usual tags", f"{_FIELDS}tag_links:_usual", empty(dict)),
    _one("usual tags in posts' lists", f"{_FIELDS}tag_links:_elsewhere", empty(dict)),
    _one("tag clouds", f"{_FIELDS}tag_links:_is_cloud", NO),
    _one("links called tags", f"{_FIELDS}tag_sources:_called", NONE),
    _one("lists of tags without links", f"{_FIELDS}tag_sources:_unlinked", empty(list)),
    _one("tags behind a label", f"{_FIELDS}tag_sources:_name_behind", NONE),
    _one("bylines behind a moment", f"{_FIELDS}author_lines:_is_behind_moment", NO),
    _one("days next to links", f"{_PAGES}several:_around", empty(tuple)),
    _one("tags of the post's aside", f"{_FIELDS}tag_sources:_in_posts_aside", NO),
    # kinds of pages
    _one("page classifier: address", f"{_CLASSIFIER}url_features", empty(dict)),
    _one("page classifier: site", f"{_CLASSIFIER}site_features", empty(dict)),
    _one("page classifier: rules", f"{_CLASSIFIER}_found_by_rules", empty(dict)),
    _one("page classifier: og:type of all posts", f"{_CLASSIFIER}_is_usual", NO),
    _one("page classifier: the site's name as title", f"{_CLASSIFIER}_bears_the_sites_name", NO),
    _one("page classifier: title leads away", f"{_CLASSIFIER}_leads_away", NO),
    _one("page classifier: permanent links lead away", f"{_CLASSIFIER}_permalinks_lead_away", NO),
    _one("page classifier: older templates", f"{_CLASSIFIER}_has_older_template", NO),
    _one("page classifier: slugs", f"{_CLASSIFIER}_is_slug_of_post", NO),
    _one("page classifier: albums", f"{_CLASSIFIER}_is_of_album", NO),
    _one("page classifier: indexes", f"{_CLASSIFIER}_is_index", NO),
    _one("page classifier: other themes", f"{_CLASSIFIER}_is_listed_otherwise", NO),
    _one("page classifier: shape", f"{_CLASSIFIER}shape_features", empty(dict)),
    _one("page classifier: markup", f"{_CLASSIFIER}markup_features", empty(dict)),
    _one("page classifier: text", f"{_CLASSIFIER}text_features", empty(dict)),
    _one("page classifier: entries", f"{_CLASSIFIER}_entries", empty(dict)),
    _one("page classifier: what stands in place of a page", f"{_CLASSIFIER}in_place_of", NONE),
    _one("page classifier: notices without the title", f"{_CLASSIFIER}_lacks_title", NO),
    _one("page classifier: locked posts", f"{_CLASSIFIER}_is_locked", NO),
    _one("page classifier: thin pages", f"{_CLASSIFIER}_is_thin", NO),
)
"""In the order of the pipeline. Not here: what only a crawl uses (several posts on a page, further
pages, duplicate responses), which tests/crawling covers."""
