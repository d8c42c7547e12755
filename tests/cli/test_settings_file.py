"""Settings from blogcrawl.toml: their order, and what no file may say."""

from __future__ import annotations

from pathlib import Path

import pytest

from blogcrawl.cli.options import config_from
from blogcrawl.cli.settings_file import FILE, files_read, given_settings
from blogcrawl.core.errors import UsageError


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The archive folder; the working folder is the one above."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BLOGCRAWL_ARCHIVE", raising=False)
    (tmp_path / "archive").mkdir()
    return tmp_path / "archive"


def test_later_sources_win(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(FILE).write_text('contact = "mailto:here@a.test"\nmax_posts = 1\nmax_pages = 1')
    (archive / FILE).write_text('contact = "mailto:there@a.test"\nmax_posts = 2\ndelay_seconds = 3')
    monkeypatch.setenv("BLOGCRAWL_MAX_POSTS", "4")
    config = config_from("delay_seconds=5")
    assert (config.max_pages, config.contact) == (1, "mailto:there@a.test")
    assert (config.max_posts, config.delay_seconds) == (4, 5)
    assert config_from("delay_seconds=5", delay_seconds=6.0).delay_seconds == 6


def test_values_of_toml_become_those_of_settings(archive: Path) -> None:
    Path(FILE).write_text(
        'exclude = ["/tag/*", "*.pdf"]\nmedia = false\nfull = true\nBLOGCRAWL_RENDER = "never"'
    )
    config = config_from()
    assert config.exclude == "/tag/* *.pdf" and config.render == "never"
    assert config.full and not config.media


def test_archive_named_in_the_working_folder_has_its_own_file(archive: Path) -> None:
    other = archive.parent / "other"
    other.mkdir()
    Path(FILE).write_text(f'archive = "{other}"')
    (other / FILE).write_text("max_posts = 7")
    assert config_from().archive_path == other and config_from().max_posts == 7
    assert config_from(archive=str(archive)).max_posts == 0
    assert config_from(f"archive={archive}").max_posts == 0


def test_one_file_is_read_once(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (archive / FILE).write_text("max_posts = 7")
    monkeypatch.chdir(archive)
    assert len(list(files_read("."))) == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("max_post = 1", "did you mean max_posts?"),
        ("quite_other = 1", "docs/settings.md"),
        ("max_posts = 'many'", "MAX_POSTS"),
        ("[media]\non = 1", "takes a text"),
        ("max_posts =", "can't be read"),
        ("\xff", "can't be read"),
        ("webhook = 'https://a.test/'", "secret"),
        ("state_url = 'postgresql://u:p@a.test/b'", "password"),
        ("browser_path = './evil'", "program"),
        ("lease_token = 4", "cluster"),
    ],
)
def test_what_no_file_may_say_is_refused(archive: Path, text: str, says: str) -> None:
    (archive / FILE).write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError) as raised:
        config_from()
    assert says in str(raised.value) and "p@" not in str(raised.value)


def test_jobs_of_a_cluster_get_the_settings_of_files(archive: Path) -> None:
    (archive / FILE).write_text("media = false")
    assert given_settings("archive")["BLOGCRAWL_MEDIA"] == "0"


def test_archive_may_begin_with_its_settings(archive: Path) -> None:
    from datetime import UTC, datetime

    from blogcrawl.storage.archive import open_archive

    (archive / FILE).write_text("media = false")
    assert open_archive(config_from(), now=datetime.now(UTC)).path == archive
