"""rules, export in every format, deposit, import: on one small archive."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import click
import pytest

from blogcrawl.cli import export as command
from blogcrawl.cli.main import COMMANDS
from blogcrawl.cli.main import cli as root
from blogcrawl.cli.rules import comment_rules
from blogcrawl.core.errors import ArchiveError
from blogcrawl.storage import export as formats
from tests.cli.test_crawl_command import Archived, archived, crawled
from tests.conftest import Cli
from training.svm import labelled_posts

__all__ = ["archived", "crawled"]


def test_export_offers_the_formats_of_the_storage_and_the_site() -> None:
    assert sorted(command.FORMATS) == sorted((*formats.FORMATS, "html"))


@pytest.mark.parametrize("kind", command.FORMATS)
def test_every_export_format_writes_a_file_or_folder(
    cli: Cli, archived: Archived, tmp_path: Path, kind: str
) -> None:
    done = cli("export", "--format", kind, "-o", "out", "--json", "--set=organization=An archive")
    assert done.code == 0, done
    assert done.json["count"] >= 1
    out = tmp_path / "out"
    assert out.is_file() if kind in ("jsonl", "marcxml", "dc", "parquet") else any(out.rglob("*"))


def test_sips_without_an_organization_are_one_line(cli: Cli, archived: Archived) -> None:
    for given in (("export", "--format", "eark-sip", "-o", "out"), ("deposit", "--to", "sip:sips")):
        done = cli(*given)
        assert done.code == 2 and "BLOGCRAWL_ORGANIZATION" in done.err
        assert len(done.err.splitlines()) == 1, done.err


def test_export_is_limited_by_date(cli: Cli, archived: Archived) -> None:
    done = cli("export", "--since", "2020-06-11", "--until", "2020-06-13")
    assert [json.loads(line)["published"][:10] for line in done.out.splitlines()] == [
        "2020-06-11",
        "2020-06-12",
    ]


def test_a_folder_format_needs_a_folder(cli: Cli, archived: Archived) -> None:
    done = cli("export", "--format", "bagit")
    assert done.code == 2 and "-o" in done.err


def test_deposit_then_import_gives_the_same_archive(
    cli: Cli, archived: Archived, tmp_path: Path
) -> None:
    first = cli("deposit", "--to", f"bag:{tmp_path / 'bags'}", "--json")
    assert first.code == 0 and first.json["sent"] == 15, first
    again = cli("deposit", "--to", f"bag:{tmp_path / 'bags'}", "--json")
    assert again.json["sent"] == 0 and again.json["known"] == 15
    came = cli("import", tmp_path / "bags", "--archive", "second", "--json")
    assert came.code == 0 and came.json["posts"] == 14, came
    assert cli("export", "--archive", "second").out == cli("export").out
    assert cli("verify", "--deep", "--archive", "second").code == 0


def test_import_after_a_killed_one_makes_its_posts_searchable(
    cli: Cli, archived: Archived, tmp_path: Path
) -> None:
    """A kill between the last package and the search index leaves nothing new to import."""
    cli("deposit", "--to", f"bag:{tmp_path / 'bags'}")
    cli("import", tmp_path / "bags", "--archive", "second", "--set", "search=false")
    assert not (tmp_path / "second/search.db").exists()
    again = cli("import", tmp_path / "bags", "--archive", "second", "--json")
    assert again.code == 0 and again.json["posts"] == 0, again
    assert (tmp_path / "second/search.db").exists()
    assert [*tmp_path.glob("second/search.db-*")] == []


def test_packages_handed_on_name_missing_settings_of_the_organization(
    cli: Cli, archived: Archived, tmp_path: Path
) -> None:
    named = [
        f"--set={name}" for name in ("organization=An archive", "organization_address=1 Lane, Town")
    ]
    for given in (("export", "--format", "bagit", "-o", "out"), ("deposit", "--to", "bag:bags")):
        done = cli(*given, *named)
        (line,) = [one for one in done.err.splitlines() if "not set" in one]
        assert "ORGANIZATION_ID, BLOGCRAWL_ORGANIZATION_RIGHTS, BLOGCRAWL_CONTACT" in line
        assert "BLOGCRAWL_ORGANIZATION," not in line and "docs/settings.md" in line
    for folder in ("out", "bags"):
        info = next((tmp_path / folder).glob("*/bag-info.txt")).read_text()
        assert "Source-Organization: An archive\n" in info
    assert "not set" not in cli("export").err


def test_settings_are_options_of_every_command_on_an_archive() -> None:
    context = click.Context(root)
    commands = {name: root.get_command(context, name) for name in COMMANDS}
    options = {
        name: {option for parameter in command.params for option in parameter.opts}
        for name, command in commands.items()
        if command is not None
    }
    on_archives = {name for name, known in options.items() if "--archive" in known}
    assert {"crawl", "export", "deposit", "import"} <= on_archives
    assert [name for name in on_archives if "--set" not in options[name]] == []


def test_unknown_deposit_target_is_a_usage_error(cli: Cli, archived: Archived) -> None:
    done = cli("deposit", "--to", "pigeon:post")
    assert done.code == 2 and "pigeon" in done.err


def test_rules_command_explains_a_page(cli: Cli, archived: Archived, tmp_path: Path) -> None:
    url = f"{archived.url}2020/03/letter-3.html"
    done = cli("rules", archived.url, "--page", url, "--html", "page.html")
    assert done.code == 0, done
    assert "right on" in done.out and "6 of 6" in done.out and "keypath" in done.out
    picture = (tmp_path / "page.html").read_text()
    assert "content: rules" in picture and "outline:3px" in picture and "<script" not in picture
    assert "Content-Security-Policy" in picture
    assert "the rule was right on" in done.out
    report = cli("rules", archived.url, "--page", url, "--json").json
    assert report["page"]["extraction"]["content"]["method"] == "rules"
    assert {said["method"] for said in report["page"]["said"] if said["field"] == "content"} >= {
        "rules",
        "keypath",
        "generic",
    }


def test_comment_rules_are_listed_with_their_support() -> None:
    learned = {
        "author": [">dt>strong"],
        "date": [],
        "body": [">dd"],
        "support_right": 3,
        "support_tried": 4,
        "score": 0.75,
    }
    rows = comment_rules({"comments": {"rules": learned}})
    assert [(row["field"], row["xpath"]) for row in rows] == [
        ("comments.author", "/dt/strong"),
        ("comments.body", "/dd"),
    ]
    assert all(
        (row["support_right"], row["support_tried"], row["mean_score"]) == (3, 4, 0.75)
        for row in rows
    )
    assert comment_rules({"comments": {"rules": None}}) == comment_rules({}) == []


def test_rules_of_an_unknown_or_unreachable_blog_is_an_error(
    cli: Cli, archived: Archived, tmp_path: Path
) -> None:
    assert cli("rules", "no such blog").code == 2
    assert cli("rules", archived.url, "--html", "x.html").code == 2
    shutil.rmtree(tmp_path / "archive")
    done = cli("rules", archived.url)
    assert done.code == 3 and "refuse" in done.err  # the blog is not served any more
    assert not (tmp_path / "archive").exists()


def test_rules_train_on_posts_with_full_text_in_archived_feeds(
    archived: Archived, tmp_path: Path
) -> None:
    assert len(list(labelled_posts(str(tmp_path / "archive")))) == 6  # as many as the feed has
    with pytest.raises(ArchiveError):
        list(labelled_posts(str(tmp_path / "nowhere")))
