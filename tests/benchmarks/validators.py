"""What public validators and a harvester say of an archive's packages, exports and OAI-PMH answers.

    python -m tests.benchmarks.validators ARCHIVE… [--schemas DIR] [--eark COMMAND]
    [--sample POSTS] [--seed N]

Exports each archive, or with ``--sample`` a copy of it with so many of its posts, drawn at random,
in all forms and runs bagit, ocfl-py, rocfl, warcio, wacz, pymarc, edtf, eark-validator (``--eark``:
the command that runs it on a folder), MARC::Lint (Perl) and yaz-marcdump, the records of comments
included; then serves the archive and asks its /oai with Sickle and with every verb, argument and
error of the protocol. ``--schemas``: a folder with OAI-PMH.xsd, oai_dc.xsd, simpledc20021212.xsd,
MARC21slim.xsd, mets.xsd, premis-v3.xsd, xlink.xsd and xml.xsd, with which every answer and every
package is validated. Prints a line for each validator; one that is not installed is named with the
reason. Exits with 1 if any finds a fault.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

from lxml import etree

from blogcrawl.packaging.marc_language import nonfiling
from blogcrawl.storage.ocfl_model import object_path

ROOT = Path(__file__).resolve().parents[2]
OAI = "{http://www.openarchives.org/OAI/2.0/}"
MARC = "{http://www.loc.gov/MARC21/slim}"
CONTACT = {"BLOGCRAWL_CONTACT": "mailto:archive@example.org", "BLOGCRAWL_ORGANIZATION": "Archive"}
FORMS = {
    "bagit": ("bagit",),
    "warcio": ("warc",),
    "wacz": ("wacz",),
    "XSD": ("eark-zip",),
    "eark-validator": ("eark-zip",),
    "pymarc": ("marcxml", "eark-zip"),
    "MARC::Lint": ("marcxml", "eark-zip"),
    "yaz": ("marcxml", "eark-zip"),
    "edtf": ("jsonl", "marcxml", "eark-zip"),
}
"""Validator -> forms of export that it is given."""
SHOWN = 5
"""Faults that are printed of each validator."""
LINT = """
use MARC::Lint; use MARC::File::XML (BinaryEncoding => 'utf8', RecordFormat => 'MARC21');
use MARC::Batch;
binmode(STDOUT, ':utf8');
for my $file (@ARGV) {
    my $batch = MARC::Batch->new('XML', $file);
    while (my $record = $batch->next) {
        my $lint = MARC::Lint->new; $lint->check_record($record);
        my $coded = $record->field('008') ? substr($record->field('008')->data, 35, 3) : '';
        my $title = $record->title_proper;
        print "$file: $coded: $_ [$title]\\n" for $lint->warnings;
    }
}
"""


_OF_ARTICLE = re.compile(
    r": (\w*): 245: First word,(?: ,)? (\S+), (may be|does not appear to be) an article(.*)"
)
_UNCOUNTED = re.compile(r"\[\W*(?:\w+\W*?)?[“”„«»‘’¿¡]")
"""Marks around an article that filing skips with it, and MARC::Lint does not."""
_MENTIONED = re.compile(r"\[[“\"„«‘'](\w+)[”\"“»’'] ")
"""A title that begins with a word in quotation marks of its own: one that is spoken of or meant
otherwise files as it stands ("A" is for alibi), as no article.
"""


class Missing(Exception):
    """A validator is not installed; the message says what is."""


@dataclass
class Outcome:
    """How much a validator was given, and what it found."""

    checked: int = 0
    faults: list[str] = field(default_factory=list)

    def note(self, where: object, fault: str | None) -> None:
        self.checked += 1
        if fault:
            self.faults.append(f"{where}: {fault}")


def has(*modules: str) -> None:
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise Missing(f"pip install {module}")


def output_of(*command: object) -> str | None:
    """Return what a command printed if it failed or warned; None if it was content."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    return (done.stdout + done.stderr).strip()[-500:] or "failed" if done.returncode else None


def bags(out: Path) -> Outcome:
    has("bagit")
    import bagit

    bagit.LOGGER.setLevel("WARNING")
    outcome = Outcome()
    for tag in out.rglob("bagit.txt"):
        try:
            bagit.Bag(str(tag.parent)).validate(completeness_only=False)
            outcome.note(tag.parent.name, None)
        except bagit.BagError as error:
            outcome.note(tag.parent.name, str(error))
    return outcome


def ocfl(packages: Path) -> Outcome:
    has("ocfl")
    from ocfl import StorageRoot

    root = StorageRoot(root=str(packages))
    root.validate(log_warnings=True)
    faults = [f"{place}: {message}" for place, message in root.errors]
    faults += [f"{root.num_traversal_errors} errors between objects"] * bool(
        root.num_traversal_errors
    )
    return Outcome(root.num_objects, faults)


def rocfl(packages: Path) -> Outcome:
    if shutil.which("rocfl") is None:
        raise Missing("rocfl (cargo install rocfl)")
    done = subprocess.run(
        ["rocfl", "-r", str(packages), "validate"], capture_output=True, text=True
    )
    summary = dict(re.findall(r"^  (\w+ \w+): +(\d+)$", done.stdout, re.MULTILINE))
    faults = [line for line in done.stdout.splitlines() if "[" in line]
    return Outcome(int(summary["Total objects"]), faults or ["failed"] * bool(done.returncode))


def warcs(out: Path) -> Outcome:
    has("warcio")
    outcome = Outcome()
    for path in (*out.rglob("*.warc.gz"), *out.rglob("*.warc")):
        outcome.note(path.name, output_of(sys.executable, "-m", "warcio.cli", "check", path))
    return outcome


def waczs(out: Path) -> Outcome:
    has("wacz")
    outcome = Outcome()
    for path in out.rglob("*.wacz"):
        command = (sys.executable, "-m", "wacz.main", "validate", "-f", path)
        outcome.note(path.name, output_of(*command))
    return outcome


def marc_files(work: Path) -> list[Path]:
    """Every MARCXML file: of the export and inside packages, where comments have records too."""
    return [*work.glob("*.marcxml"), *work.glob("*/**/metadata/descriptive/marc*.xml")]


def pymarc_reads(work: Path) -> Outcome:
    has("pymarc")
    import pymarc

    outcome = Outcome()
    for path in marc_files(work):
        try:
            for record in pymarc.parse_xml_to_array(str(path)):  # type: ignore[no-untyped-call]
                again = pymarc.Record(data=record.as_marc(), to_unicode=True, force_utf8=True)
                same = again.as_dict()["fields"] == record.as_dict()["fields"]
                outcome.note(path, None if same else "differs after ISO 2709")
        except Exception as error:
            outcome.note(path, repr(error))
    return outcome


def marc_lint(work: Path) -> Outcome:
    modules = ("-MMARC::Lint", "-MMARC::File::XML", "-e", "1")
    if shutil.which("perl") is None or output_of("perl", *modules) is not None:
        raise Missing("Perl with MARC::Lint and MARC::XML")
    files = [path for path in marc_files(work) if b'tag="264"' in path.read_bytes()]
    if not files:
        raise Missing("an archive made with the profile marc21: the other has fields of its own")
    outcome = Outcome(len(files))
    for at in range(0, len(files), 200):
        command = ["perl", "-e", LINT, *map(str, files[at : at + 200])]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace")
        lines = (done.stdout + done.stderr).splitlines()
        outcome.faults += [line for line in lines if line and not is_right_article(line)]
    return outcome


def is_right_article(line: str) -> bool:
    """Return whether MARC::Lint doubts an indicator that the list of articles of the Library of
    Congress bears out: its own list is of few languages, and blind to that of the record.
    """
    found = _OF_ARTICLE.search(line)
    if found is None:
        return False
    language, word, verdict, rest = found.groups()
    if nonfiling(f"{word} x", language) == 0 or _MENTIONED.search(rest):
        return verdict == "may be"
    return verdict != "may be" or _UNCOUNTED.search(rest) is not None


def yaz(work: Path) -> Outcome:
    if shutil.which("yaz-marcdump") is None:
        raise Missing("yaz-marcdump")
    outcome = Outcome()
    for path in marc_files(work):
        command = ["yaz-marcdump", "-i", "marcxml", "-o", "marc", str(path)]
        done = subprocess.run(command, capture_output=True)
        fault = done.stderr.decode("utf-8", "replace")[-200:] or "failed" * bool(done.returncode)
        outcome.note(path, fault or None)
    return outcome


def dates(work: Path) -> Outcome:
    """Every date of the JSON lines and of 046 and 269 in MARC as EDTF (levels 0 and 1)."""
    has("edtf")
    from edtf import parse_edtf

    texts = {text for path in work.glob("*.jsonl") for text in _dates_of_lines(path)}
    for path in marc_files(work):
        for field_ in etree.parse(path).iterfind(f".//{MARC}datafield[@tag='046']"):
            if "edtf" in {node.text for node in field_.iterfind(f"{MARC}subfield[@code='2']")}:
                found = [
                    x.text
                    for x in field_.iterfind(f"{MARC}subfield")
                    if x.get("code") in ("c", "k", "j")
                ]
                texts.update(filter(None, found))
    outcome = Outcome()
    for text in sorted(texts):
        try:
            parse_edtf(text)
            outcome.note(text, None)
        except Exception as error:
            outcome.note(text, repr(error)[:200])
    return outcome


def _dates_of_lines(path: Path) -> Iterator[str]:
    for line in path.read_text("utf-8").splitlines():
        post = json.loads(line)
        for record in (post, *post["comments"]):
            yield from (record[name] for name in ("published", "modified") if record.get(name))


def eark(work: Path, python: str | None) -> Outcome:
    if python is None:
        raise Missing("--eark, a command that runs eark-validator 1.1.3")
    outcome = Outcome()
    folders = [mets.parent for mets in work.glob("unzipped/*/METS.xml")]
    for at in range(0, len(folders), 50):
        some = folders[at : at + 50]
        command = [*python.split(), *map(str, some)]
        done = subprocess.run(command, capture_output=True, text=True)
        reports = re.split(r"^Path ", done.stdout, flags=re.MULTILINE)[1:]
        for folder, report in zip_longest(some, reports, fillvalue=""):
            fault = judgement(report) or done.stderr[-300:] or None
            outcome.note(folder.name if isinstance(folder, Path) else folder, fault)
    return outcome


def judgement(printed: str) -> str | None:
    """Return what eark-validator objects to in its report on a package: its exit code is 0."""
    begin = printed.find("{")
    if begin < 0:
        return printed[-300:] or "no report"
    found = re.findall(r'"rule_id":"(\w+)","severity":"(?!Info)(\w+)"', printed[begin:])
    states = re.findall(r'"status":"(\w+)"', printed[begin:])
    if len(states) == 3 and {*states} == {"WellFormed", "VALID"} and not found:
        return None
    return f"{states} {found}"


class Schemas:
    """The schemas of a folder, joined so that one validates an answer with its metadata."""

    def __init__(self, folder: Path) -> None:
        parser = etree.XMLParser(no_network=True)
        parser.resolvers.add(_Local(folder))
        names = {
            "http://www.openarchives.org/OAI/2.0/": "OAI-PMH.xsd",
            "http://www.openarchives.org/OAI/2.0/oai_dc/": "oai_dc.xsd",
            "http://www.loc.gov/MARC21/slim": "MARC21slim.xsd",
            "http://www.loc.gov/METS/": "mets.xsd",
            "http://www.loc.gov/premis/v3": "premis-v3.xsd",
        }
        imports = "".join(
            f'<xs:import namespace="{namespace}" schemaLocation="{folder / name}"/>'
            for namespace, name in names.items()
        )
        text = f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">{imports}</xs:schema>'
        self.schema = etree.XMLSchema(etree.fromstring(text, parser))

    def faults(self, document: etree._Element) -> str | None:
        if self.schema.validate(document):
            return None
        return str(self.schema.error_log)[:500]


class _Local(etree.Resolver):
    """Finds schemas by the last part of their address."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def resolve(self, url: str, _public: str, context: Any) -> Any:  # type: ignore[override]
        path = self.folder / url.rsplit("/", 1)[-1]
        return self.resolve_filename(str(path), context) if path.exists() else None  # type: ignore[attr-defined]


def schemas(work: Path, folder: Path | None) -> Outcome:
    """Validate METS, PREMIS, MARCXML and Dublin Core of every package."""
    if folder is None:
        raise Missing("--schemas, a folder of XSD files")
    known, outcome = Schemas(folder), Outcome()
    for path in work.glob("unzipped/**/*.xml"):
        if "/data/" not in str(path).replace(str(work), ""):  # what was archived may be any text
            root = etree.parse(path, etree.XMLParser(huge_tree=True)).getroot()
            outcome.note(path, known.faults(root))
    return outcome


@contextmanager
def serving(archive: Path) -> Iterator[str]:
    """Run ``blogcrawl serve`` on a free port; give the address of its /oai."""
    command = [sys.executable, "-m", "blogcrawl", "serve", "--port", "0", "-a", str(archive)]
    environment = {**os.environ, **CONTACT, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                yield found[0] + "/oai"
                return
        raise SystemExit("blogcrawl serve has not begun")
    finally:
        process.terminate()
        process.wait()


class Harvest:
    """Asks a repository and validates every answer."""

    def __init__(self, base: str, known: Schemas | None) -> None:
        self.base, self.known, self.outcome = base, known, Outcome()

    def ask(self, *pairs: tuple[str, str], code: str | None = None) -> etree._Element:
        """Return the answer; note it if it is invalid or its error is not ``code``."""
        with urlopen(f"{self.base}?{urlencode(pairs)}") as answer:
            root = etree.fromstring(answer.read(), etree.XMLParser(huge_tree=True))
        error = root.find(f"{OAI}error")
        told = None if error is None else error.get("code")
        fault = f"error {told}, expected {code}" if told != code else None
        self.outcome.note(dict(pairs), fault or (self.known.faults(root) if self.known else None))
        return root

    def harvest(self, verb: str, **arguments: str) -> list[etree._Element]:
        """Return all headers of a list, by resumption tokens; note a wrong cursor."""
        pairs = [("verb", verb), *arguments.items()]
        headers: list[etree._Element] = []
        while True:
            root = self.ask(*((name.rstrip("_"), value) for name, value in pairs))
            token = root.find(f".//{OAI}resumptionToken")
            if token is not None and token.get("cursor") != str(len(headers)):
                self.outcome.note(pairs, f"cursor {token.get('cursor')}, {len(headers)} so far")
            headers += root.findall(f".//{OAI}header")
            if token is None or not token.text:
                return headers
            pairs = [("verb", verb), ("resumptionToken", token.text)]


def identifiers(headers: list[etree._Element]) -> list[str]:
    return [header.findtext(f"{OAI}identifier") or "" for header in headers]


def protocol(asked: Harvest) -> None:
    """Send the requests of the protocol's validators: every verb, argument and error code."""
    list_, one = ("verb", "ListIdentifiers"), ("verb", "GetRecord")
    dc = ("metadataPrefix", "oai_dc")
    identify = asked.ask(("verb", "Identify"))
    for verb in ("Identify", "ListSets", "ListMetadataFormats"):
        asked.ask(("verb", verb), ("until", "now"), code="badArgument")
    headers = asked.harvest("ListIdentifiers", metadataPrefix="oai_dc")
    every = identifiers(headers)
    if not every:
        raise Missing("an archive with packages")
    if len(every) != len(set(every)):
        asked.outcome.note("ListIdentifiers", "names an item twice")
    formats = [
        node.text or ""
        for node in asked.ask(("verb", "ListMetadataFormats")).iter(f"{OAI}metadataPrefix")
    ]
    for prefix in formats:
        if identifiers(asked.harvest("ListRecords", metadataPrefix=prefix)) != every:
            asked.outcome.note(prefix, "ListRecords and ListIdentifiers differ")
        asked.ask(one, ("identifier", every[0]), ("metadataPrefix", prefix))
        asked.ask(one, ("identifier", every[-1]), ("metadataPrefix", prefix))
    asked.ask(("verb", "ListMetadataFormats"), ("identifier", every[0]))
    sets = [node.text or "" for node in asked.ask(("verb", "ListSets")).iter(f"{OAI}setSpec")]
    parts = [
        x
        for name in sets
        for x in identifiers(asked.harvest("ListIdentifiers", metadataPrefix="oai_dc", set=name))
    ]
    if sorted(parts) != sorted(every):
        asked.outcome.note("sets", f"{len(parts)} items in sets, {len(every)} in all")
    _ranges(asked, headers, identify.findtext(f".//{OAI}earliestDatestamp") or "")
    for code, pairs in (
        ("badVerb", [("verb", "Nothing")]),
        ("badVerb", []),
        ("badVerb", [("verb", "Identify"), ("verb", "Identify")]),
        ("badArgument", [one]),
        ("badArgument", [one, ("identifier", every[0])]),
        ("badArgument", [list_]),
        ("badArgument", [list_, dc, dc]),
        ("badArgument", [list_, dc, ("from", "2002-02-31")]),
        ("badArgument", [list_, dc, ("from", "2002")]),
        ("badArgument", [list_, dc, ("from", "2002-02-05T06:00:00.1Z")]),
        ("badArgument", [list_, dc, ("from", "2001-01-01"), ("until", "2002-01-01T00:00:00Z")]),
        ("badArgument", [list_, dc, ("from", "2003-01-01"), ("until", "2002-01-01")]),
        ("badArgument", [list_, dc, ("resumptionToken", "x")]),
        ("badResumptionToken", [list_, ("resumptionToken", "x")]),
        ("badResumptionToken", [("verb", "ListRecords"), ("resumptionToken", "\u00e9 &")]),
        ("badResumptionToken", [("verb", "ListSets"), ("resumptionToken", "x")]),
        ("cannotDisseminateFormat", [list_, ("metadataPrefix", "nothing")]),
        ("cannotDisseminateFormat", [one, ("identifier", every[0]), ("metadataPrefix", "x")]),
        ("idDoesNotExist", [one, ("identifier", 'invalid"id'), dc]),
        ("idDoesNotExist", [one, ("identifier", "oai:example.org:1"), dc]),
        ("idDoesNotExist", [("verb", "ListMetadataFormats"), ("identifier", "really_wrong_id")]),
        ("noRecordsMatch", [list_, dc, ("set", "really_wrong_set")]),
        ("noRecordsMatch", [list_, dc, ("until", "1990-01-01")]),
        ("noRecordsMatch", [("verb", "ListRecords"), dc, ("from", "2990-01-01")]),
    ):
        asked.ask(*pairs, code=code)


def _ranges(asked: Harvest, headers: list[etree._Element], earliest: str) -> None:
    """Ask for the days and seconds of items: each is in its own, none before the earliest."""
    stamps = {x.findtext(f"{OAI}identifier"): x.findtext(f"{OAI}datestamp") or "" for x in headers}
    if min(stamps.values()) < earliest:
        asked.outcome.note("earliestDatestamp", f"{earliest}, but there is {min(stamps.values())}")
    for size in (10, 20):
        for stamp in sorted({stamp[:size] for stamp in stamps.values()})[:20]:
            found = asked.harvest(
                "ListIdentifiers", metadataPrefix="oai_dc", from_=stamp, until=stamp
            )
            if set(identifiers(found)) != {i for i, at in stamps.items() if at[:size] == stamp}:
                asked.outcome.note(stamp, "other items than the list has of that time")


def oai(archive: Path, folder: Path | None) -> Outcome:
    with serving(archive) as base:
        asked = Harvest(base, Schemas(folder) if folder is not None else None)
        protocol(asked)
        _sickle(asked)
    return asked.outcome


def _sickle(asked: Harvest) -> None:
    has("sickle")
    from sickle import Sickle

    harvester = Sickle(asked.base)
    harvester.Identify()
    every = identifiers(asked.harvest("ListIdentifiers", metadataPrefix="oai_dc"))
    records = list(harvester.ListRecords(metadataPrefix="oai_dc", ignore_deleted=False))
    same = [record.header.identifier for record in records] == every
    asked.outcome.note("Sickle", None if same else f"{len(records)} records of {len(every)}")


def sampled(archive: Path, copy: Path, most: int, seed: int) -> int:
    """Copy an archive with the packages of its blogs and ``most`` of its posts, drawn at random;
    return how many posts it had.
    """
    shutil.copytree(archive, copy, ignore=shutil.ignore_patterns("packages"))
    with closing(sqlite3.connect(copy / "state.db")) as state:
        found = state.execute("SELECT aip_id FROM posts WHERE aip_id IS NOT NULL ORDER BY aip_id")
        every = [aip_id for (aip_id,) in found]
        drawn = random.Random(seed).sample(every, min(most, len(every)))
        left_out = sorted({*every} - {*drawn})
        for table in ("posts", "media"):
            rows = [(aip_id,) for aip_id in left_out]
            state.executemany(f"DELETE FROM {table} WHERE aip_id = ?", rows)
        state.commit()
    packages = archive / "packages"
    unread = {str(packages / object_path(aip_id)) for aip_id in left_out}
    shutil.copytree(
        packages,
        copy / "packages",
        ignore=lambda folder, names: [n for n in names if os.path.join(folder, n) in unread],
    )
    for folder, _, _ in os.walk(copy / "packages", topdown=False):
        if not os.listdir(folder):  # OCFL allows no empty folders
            os.rmdir(folder)
    return len(every)


def export(archive: Path, work: Path, forms: Iterable[str]) -> None:
    environment = {**os.environ, **CONTACT, "PYTHONPATH": str(ROOT)}
    for form in forms:
        command = [
            sys.executable,
            "-m",
            "blogcrawl",
            "export",
            "-a",
            str(archive),
            "--format",
            form,
        ]
        done = subprocess.run(
            [*command, "-o", str(work / f"export.{form}")],
            env=environment,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            print(f"  export {form}: {done.stderr.strip()[-300:]}")
    for path in (work / "export.eark-zip").glob("*.zip"):
        with zipfile.ZipFile(path) as file:
            file.extractall(work / "unzipped")


def checks(
    archive: Path, work: Path, given: argparse.Namespace
) -> dict[str, Callable[[], Outcome]]:
    return {
        "bagit": lambda: bags(work / "export.bagit"),
        "ocfl-py": lambda: ocfl(archive / "packages"),
        "rocfl": lambda: rocfl(archive / "packages"),
        "warcio": lambda: warcs(work / "export.warc"),
        "wacz": lambda: waczs(work / "export.wacz"),
        "XSD": lambda: schemas(work, given.schemas),
        "eark-validator": lambda: eark(work, given.eark),
        "pymarc": lambda: pymarc_reads(work),
        "MARC::Lint": lambda: marc_lint(work),
        "yaz": lambda: yaz(work),
        "edtf": lambda: dates(work),
        "OAI-PMH": lambda: oai(archive, given.schemas),
    }


def is_faulty(archive: Path, given: argparse.Namespace) -> bool:
    """Print what each validator finds in an archive; return whether any finds a fault."""
    print(archive.name, flush=True)
    faulty = False
    with tempfile.TemporaryDirectory() as name:
        work = Path(name, "work")
        work.mkdir()
        if given.sample:
            copy = Path(name, "archive")
            had = sampled(archive, copy, given.sample, given.seed)
            print(f"  {min(had, given.sample)} of {had} posts, drawn with seed {given.seed}")
            archive = copy
        every = checks(archive, work, given)
        names = given.only.split(",") if given.only else list(every)
        export(archive, work, sorted({form for check in names for form in FORMS.get(check, ())}))
        for check in names:
            try:
                outcome = every[check]()
            except Missing as reason:
                print(f"  {check:15} not run: needs {reason}", flush=True)
                continue
            print(f"  {check:15} {outcome.checked:6} checked, {len(outcome.faults)} faults")
            for fault in outcome.faults[:SHOWN]:
                print(f"      {fault}", flush=True)
            faulty |= bool(outcome.faults)
    return faulty


def main() -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("archives", nargs="+", type=Path)
    options.add_argument("--schemas", type=Path)
    options.add_argument("--eark", help="command that runs eark-validator on a folder")
    options.add_argument("--sample", type=int, help="so many posts of each archive, at random")
    options.add_argument("--seed", type=int, default=random.randrange(2**31))
    options.add_argument("--only", default="", help="names of validators, separated by commas")
    given = options.parse_args()
    faulty = [is_faulty(archive, given) for archive in given.archives]
    return int(any(faulty))


if __name__ == "__main__":
    sys.exit(main())
