"""What deploy/ holds for others' tools: files that parse, commands and options that exist, settings
that have a name.
"""

from __future__ import annotations

import asyncio
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from contextlib import closing
from dataclasses import fields, replace
from datetime import UTC, datetime
from functools import partial
from importlib.util import module_from_spec
from pathlib import Path
from typing import Any
from zipimport import zipimporter

import httpx
import pytest
from click import Context

from blogcrawl import __version__
from blogcrawl.cli.controller import controller
from blogcrawl.cli.serve import serve
from blogcrawl.cluster.scrapyd import ScrapydClient, egg_version
from blogcrawl.core.config import PREFIX, Config
from blogcrawl.storage.archive import open_archive
from blogcrawl.storage.schedule import Schedule
from blogcrawl.storage.state import open_state
from blogcrawl.storage.tables import CrawlRow, PostRow, VisitRow
from tests.cluster.realnodes import deploy_module
from tests.conftest import ROOT, clean_environment

yaml = pytest.importorskip("yaml")
DEPLOY = ROOT / "deploy"
OTHERS = {
    "NODES_USERNAME",
    "NODES_PASSWORD",
    "NODES_PASSWORD_FILE",
    "STATE_URL_FILE",
    "BROWSER_PATH",
    "VENV",
    "CONTROLLER_OPTIONS",
    "SERVE_OPTIONS",
}
"""Variables that are no settings of a crawl."""
TEXTS = [
    DEPLOY / "Dockerfile",
    DEPLOY / "compose.yaml",
    DEPLOY / "compose-one.yaml",
    DEPLOY / "kubernetes/blogcrawl.yaml",
    *(DEPLOY / "systemd").iterdir(),
    DEPLOY / "node",
]


def parsed(words: list[str]) -> dict[str, Any]:
    context: Context = controller.make_context("controller", words)
    return context.params


def test_compose_file_refers_to_existing_commands() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    nodes = {f"http://{name}:6800" for name in services if re.fullmatch(r"node\d", name)}
    assert len(nodes) == 3 and {"controller", "postgres", "s3"} <= set(services)
    command = services["controller"]["command"]
    assert command[:2] == ["blogcrawl", "controller"]
    given = parsed(command[2:])
    assert set(given["node_urls"]) == nodes and given["lists"] == ("/blogs.txt",)
    deployed = services["deploy"]["command"]
    assert (ROOT / deployed[1]).is_file() and set(deployed[2:]) == nodes
    for name, service in services.items():
        for needed in service.get("depends_on", []):
            assert needed in services, name
        if "build" in service:
            assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
        assert not service.get("ports"), "nothing is reachable from outside"


def test_one_machine_serves_and_crawls() -> None:
    compose = yaml.safe_load((DEPLOY / "compose-one.yaml").read_text())
    [room] = compose["services"].values()
    assert room["command"][:2] == ["blogcrawl", "serve"] and room["network_mode"] == "host"
    given = serve.make_context("serve", room["command"][2:]).params
    assert given["crawl"] and given["lists"] == ("/blogs.txt",) and given["host"] == "127.0.0.1"
    unit = (DEPLOY / "systemd/blogcrawl.service").read_text()
    assert "deploy/run serve --crawl" in unit and "KillMode=mixed" in unit


def test_kubernetes_manifests_refer_to_existing_commands() -> None:
    documents = list(yaml.safe_load_all((DEPLOY / "kubernetes/blogcrawl.yaml").read_text()))
    by_kind = {(d["kind"], d["metadata"]["name"]): d for d in documents}
    assert len(by_kind) == len(documents)
    pod = by_kind["Deployment", "controller"]["spec"]["template"]["spec"]
    command = pod["containers"][0]["command"]
    assert command[:2] == ["blogcrawl", "controller"]
    nodes = parsed(command[2:])["node_urls"]
    count = by_kind["StatefulSet", "node"]["spec"]["replicas"]
    assert nodes == tuple(f"http://node-{n}.node:6800" for n in range(count))
    deployed = pod["initContainers"][0]["command"]
    assert (ROOT / deployed[1]).is_file() and tuple(deployed[2:]) == nodes
    for kind, name in (("StatefulSet", "node"), ("Deployment", "controller")):
        spec = by_kind[kind, name]["spec"]
        assert spec["selector"]["matchLabels"] == spec["template"]["metadata"]["labels"]
        for container in spec["template"]["spec"]["containers"]:
            volumes = {v["name"] for v in spec["template"]["spec"].get("volumes", [])}
            volumes |= {v["metadata"]["name"] for v in spec.get("volumeClaimTemplates", [])}
            assert {m["name"] for m in container.get("volumeMounts", [])} <= volumes
            assert ("ConfigMap", container["envFrom"][0]["configMapRef"]["name"]) in by_kind


def test_cluster_local_accepts_options_before_and_after_lists() -> None:
    text = (DEPLOY / "cluster-local").read_text()
    shown = [
        line.split("  ")[0].split()[2:]
        for line in re.findall(r"^#   (.+)", text.replace("#   ", "#   x "), re.M)
    ]
    assert shown == [["3", "blogs.opml"], ["3", "--keep", "blogs.opml"]]
    deploy_module("deploy_egg")  # the other imports it
    arguments = deploy_module("cluster_local").arguments
    for words, keep in zip(shown, (False, True), strict=True):
        args, rest = arguments(words)
        assert (args.nodes, args.keep, args.archive, rest) == (3, keep, "archive", ["blogs.opml"])
    args, rest = arguments(
        [
            "2",
            "a.txt",
            "--base-hours",
            "5",
            "--archive",
            "x",
            "--set",
            "render=never",
            "--slots",
            "4",
            "b.csv",
        ]
    )
    assert (args.nodes, args.archive, args.slots, args.keep) == (2, "x", 4, False)
    given = parsed(rest)
    assert (given["lists"], given["base_hours"], given["pairs"]) == (
        ("a.txt", "b.csv"),
        5.0,
        ("render=never",),
    )


def test_dockerfile_refers_to_existing_files_and_commands() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    for source in re.findall(r"^COPY (\S+) ", text, re.M):
        assert (ROOT / source).exists()
    for script in re.findall(r"deploy/[\w.-]+", text):
        assert (ROOT / script).exists(), script
    assert (DEPLOY / "node").stat().st_mode & 0o111


def test_systemd_units_refer_to_existing_commands(tmp_path: Path) -> None:
    for unit in (DEPLOY / "systemd").glob("*.service"):
        [start] = re.findall(r"^ExecStart=/opt/blogcrawl/(\S+)", unit.read_text(), re.M)
        assert (ROOT / start).stat().st_mode & 0o111, unit
    if shutil.which("systemd-analyze") is None:
        return
    units = []
    for unit in (DEPLOY / "systemd").glob("*.service"):
        units.append(tmp_path / unit.name)
        units[-1].write_text(unit.read_text().replace("/opt/blogcrawl/", f"{ROOT}/"))
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True)
    warnings = [line for line in done.stderr.splitlines() if "blogcrawl-" in line]
    assert not warnings, warnings


def test_every_deployment_variable_is_used() -> None:
    known = {spec.name.upper() for spec in fields(Config)} | OTHERS
    for path in [*TEXTS, ROOT / "docs/cluster.md"]:
        for name in re.findall(rf"{PREFIX}([A-Z][A-Z_]*[A-Z])\b(?!_)", path.read_text()):
            assert name in known, f"{path.name}: {PREFIX}{name}"


def test_documented_deployment_commands_exist() -> None:
    """Each ``blogcrawl controller|nodes|blogs|jobs|report …`` and each benchmark that
    docs/cluster.md and docs/scale.md name.
    """
    from blogcrawl.cli.main import cli

    for page in ("cluster.md", "scale.md"):
        text = (ROOT / "docs" / page).read_text()
        for name, words in re.findall(
            r"`(?:blogcrawl )?(controller|nodes|blogs|jobs|report) (-[^`]+)`", text
        ):
            command = cli.get_command(Context(cli), name)
            assert command is not None
            options = {option for parameter in command.params for option in parameter.opts}
            for option in re.findall(r"--[a-z-]+", words):
                assert option in options, f"{page}: {name} {option}"
        for script in re.findall(r"(?:tests/benchmarks|deploy)/[\w/.-]+", text):
            assert (ROOT / script.rstrip(".")).exists(), f"{page}: {script}"


SECRET_NAME = re.compile(r"\b\w*(?:PASSWORD|SECRET|ACCESS_KEY|TOKEN|STATE_URL)\w*\b")
"""Variables that hold secrets, or name the file that does."""


def test_deployment_files_hold_no_password() -> None:
    """Every variable for a secret names a file; no address has a password in it."""
    for path in (
        p for p in DEPLOY.rglob("*") if p.is_file() and p.suffix != ".lock" and p.suffix != ".pyc"
    ):
        if path.is_relative_to(DEPLOY / "secrets"):
            continue
        text = path.read_text()
        assert not re.search(r"change-?me|[Mm]inioadmin", text), path
        assert not re.search(r"://[\w.-]+:(?![%$])[^\s@/'\"$]+@", text), path
        if path.suffix in (".yaml", ".service") or path.name == "Dockerfile":
            for name, value in re.findall(r"(\w+)[\"']?\s*[:=]\s*[\"']?([^\s,\"'}]+)", text):
                if SECRET_NAME.fullmatch(name) and name.isupper():
                    assert name.endswith("_FILE") and value.startswith(
                        ("/run/secrets", "/etc/blogcrawl/secrets")
                    ), (path, name)


def test_pods_mount_the_secret_as_files_and_require_it() -> None:
    documents = list(yaml.safe_load_all((DEPLOY / "kubernetes/blogcrawl.yaml").read_text()))
    assert "Secret" not in {document["kind"] for document in documents}, (
        "it is made by deploy/make-secrets"
    )
    for document in documents:
        if document["kind"] not in ("StatefulSet", "Deployment"):
            continue
        pod = document["spec"]["template"]["spec"]
        [volume] = [v["secret"] for v in pod["volumes"] if v["name"] == "secrets"]
        assert volume["secretName"] == "blogcrawl" and not volume.get("optional")
        for container in [*pod["containers"], *pod.get("initContainers", [])]:
            assert "secrets" in {mount["name"] for mount in container["volumeMounts"]}, container[
                "name"
            ]


def test_secrets_are_generated_once_at_random(tmp_path: Path) -> None:
    made = []
    for name in ("one", "two", "one"):
        done = subprocess.run(
            [DEPLOY / "make-secrets", tmp_path / name, "db.example"],
            capture_output=True,
            text=True,
            check=True,
        )
        files = {path.name: path.read_text() for path in (tmp_path / name).iterdir()}
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o700
        assert len(files["nodes_password"]) == 48 and not any(
            text.strip() and text in done.stderr for text in files.values()
        )
        made.append(files)
    assert made[0] == made[2] and made[0]["nodes_password"] != made[1]["nodes_password"]
    assert (
        made[0]["state_url"]
        == f"postgresql://blogcrawl:{made[0]['postgres_password']}@db.example/blogcrawl\n"
    )
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    assert (
        set(compose["secrets"])
        == set(made[0])
        == {Path(s["file"]).name for s in compose["secrets"].values()}
    )
    assert all(
        set(service.get("secrets", ())) <= set(made[0]) for service in compose["services"].values()
    )
    assert (
        "/deploy/secrets/" in (ROOT / ".gitignore").read_text()
        and "deploy/secrets" in (ROOT / ".dockerignore").read_text()
    )


def test_node_reads_its_password_from_a_file_only(tmp_path: Path) -> None:
    """What Scrapyd gets: the password with every character, doubled ``%``; nothing of it in its
    environment.
    """
    import configparser

    password = r"a|b&c\d%e/f'g"
    (tmp_path / "password").write_text(password)
    program = tmp_path / "python"
    program.write_text('#!/bin/sh\nenv >"$OUT"\n')
    program.chmod(0o755)
    for more in (
        {"BLOGCRAWL_NODES_PASSWORD_FILE": str(tmp_path / "password")},
        {"BLOGCRAWL_NODES_PASSWORD": password},
    ):
        given = {
            "BLOGCRAWL_NODES_USERNAME": "u",
            "NODE_DATA": str(tmp_path / "data"),
            "NODE_PYTHON": str(program),
        }
        subprocess.run(
            [DEPLOY / "node"],
            env=clean_environment(**given, **more, OUT=str(tmp_path / "env")),
            check=True,
        )
        parser = configparser.ConfigParser()
        parser.read(tmp_path / "data/scrapyd.conf")
        assert parser["scrapyd"]["password"] == password and parser["scrapyd"]["username"] == "u"
        assert (tmp_path / "data/scrapyd.conf").stat().st_mode & 0o077 == 0
        assert password not in (tmp_path / "env").read_text()
    for weak in ({}, {"BLOGCRAWL_NODES_PASSWORD": "short"}):
        done = subprocess.run(
            [DEPLOY / "node"],
            env=clean_environment(**given, **weak),
            capture_output=True,
            text=True,
        )
        assert (
            done.returncode == 1
            and "password" in done.stderr
            and "short\n" not in done.stderr.replace("shorter", "")
        )


def test_cluster_local_ends_with_a_table_of_the_blogs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    deploy_module("deploy_egg")  # the other imports it
    archive = tmp_path / "archive"
    config = Config(archive=str(archive))
    now = datetime(2026, 3, 1, tzinfo=UTC)
    open_archive(config, now=now)
    with closing(open_state(config)) as state:
        visits = [
            VisitRow(blog_id="b", url="http://b.example/", host="b", next_visit=now),
            VisitRow(blog_id="a", url="http://a.example/", host="a", next_visit=now),
            VisitRow(blog_id="c", url="http://c.example/", host="c", next_visit=now),
            VisitRow(blog_id="d", url="http://d.example/", host="d", next_visit=now),
            VisitRow(blog_id="e", url="http://e.example/", host="e", next_visit=now),
        ]
        schedule = Schedule(state)
        schedule.add_blogs(visits)
        schedule.save_visits(
            [
                replace(visits[0], archived=12, missing=2),
                replace(visits[1], archived=30),
                replace(visits[2], reason="gone (410)"),
                replace(visits[3], state="claimed"),
                replace(visits[4], state="visited", facts={"missing": 7, "reason": "stopped"}),
            ]
        )
        state.save_post(PostRow(blog_id="c", url="http://c.example/1", aip_id="urn:uuid:1"))
        lost = [{"url": f"http://b.example/{n}", "reason": "HTTP 500"} for n in (1, 2)]
        state.start_crawl(
            CrawlRow(id="1", blog_id="b", spider="newcrawl", report={"missing": lost})
        )
    deploy_module("cluster_local").print_summary(str(archive))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(maxsplit=3) for line in lines[-6:-1]] == [
        ["30", "0", "http://a.example/"],
        ["12", "2", "http://b.example/", "2 HTTP 500"],
        ["1", "0", "http://c.example/", "gone (410)"],  # its crawl broke off
        ["0", "0", "http://d.example/", "stopped before its end: the next start goes on with it"],
        ["0", "7", "http://e.example/", "stopped"],  # what the controller has not read
    ]
    assert lines[-1].startswith("5 blogs: 43 posts archived, 9 missing; packages in ")
    assert str(archive / "packages") in lines[-1]


def test_egg_is_put_on_each_node_with_its_version(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    received: list[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.url.path == "/addversion.json"
        assert request.extensions["timeout"]["read"] > 120, "a busy node takes long to read an egg"
        received.append(request.content)
        return httpx.Response(200, json={"status": "ok", "spiders": 4})

    deploy_egg = deploy_module("deploy_egg")
    client = partial(ScrapydClient, transport=httpx.MockTransport(answer))
    monkeypatch.setattr(deploy_egg, "ScrapydClient", client)
    asyncio.run(deploy_egg.deploy(["http://a:6800", "http://b:6800"], b"an egg", "u", "p"))
    assert len(received) == 2 and all(b"an egg" in body for body in received)
    stored = egg_version(__version__).encode()  # under another name Scrapyd lists spiders again
    assert all(b'name="version"\r\n\r\n' + stored + b"\r\n" in body for body in received)
    assert f"http://b:6800: version {__version__}, 4 spiders" in capsys.readouterr().err


def test_egg_is_built_again_only_after_a_source_changed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    deploy_egg = deploy_module("deploy_egg")
    clone, kept = tmp_path / "clone", tmp_path / "kept"
    module = clone / "blogcrawl" / "api.py"
    (clone / "blogcrawl" / "__pycache__").mkdir(parents=True)
    kept.mkdir()
    module.write_text("x = 1")
    built = iter([b"first", b"second", b"third"])
    monkeypatch.setattr(deploy_egg, "ROOT", clone)
    monkeypatch.setattr(deploy_egg, "build_egg", lambda: next(built))
    assert deploy_egg.kept_egg(kept) == b"first"
    (clone / "blogcrawl" / "__pycache__" / "api.pyc").write_text("")
    assert deploy_egg.kept_egg(kept) == b"first"
    module.write_text("x = 22")
    assert deploy_egg.kept_egg(kept) == deploy_egg.kept_egg(kept) == b"second"
    assert len(list(kept.iterdir())) == 1
    assert deploy_egg.kept_egg(tmp_path / "not there") == b"third"


@pytest.mark.parametrize(("magic", "origin"), [(b"", "a.pyc"), (b"\0\0\r\n", "a.py")])
def test_modules_of_the_egg_are_read_from_bytecode_of_the_same_python(
    tmp_path: Path, magic: bytes, origin: str
) -> None:
    built = io.BytesIO()
    with zipfile.ZipFile(built, "w") as egg:
        egg.writestr("a.py", "x = 1")
        egg.writestr("p/__init__.py", "")
        egg.writestr("p/__pycache__/__init__.cpython-311.pyc", b"zipimport ignores it")
        egg.writestr("EGG-INFO/PKG-INFO", "Name: a")
    path = tmp_path / "made.egg"
    path.write_bytes(deploy_module("deploy_egg").with_bytecode(built.getvalue()))
    with zipfile.ZipFile(path) as egg:
        names = set(egg.namelist())
        data = {name: egg.read(name) for name in names}
    modules = {"a.py", "a.pyc", "p/__init__.py", "p/__init__.pyc"}
    assert names == {*modules, "EGG-INFO/PKG-INFO"}
    if magic:
        with zipfile.ZipFile(path, "w") as egg:
            for name, content in data.items():
                other = name.endswith(".pyc")
                egg.writestr(name, magic + content[4:] if other else content)
    spec = zipimporter(str(path)).find_spec("a")
    assert spec is not None and spec.loader is not None and spec.origin == str(path / origin)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.x == 1


BUILDER = """#!/bin/sh
printf '%s\\n' "$*" >>"$0.log"
case $1 in info) exit 1 ;; from) echo work-1 ;; esac
"""
"""Stands in for a builder of images: it notes how it is called. Docker's daemon does not run."""


def build_image(tools: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run ``deploy/build-image`` where only ``tools`` can build images."""
    return subprocess.run(
        [str(DEPLOY / "build-image"), *options],
        env=clean_environment() | {"PATH": f"{tools}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
    )


def builder(tools: Path, name: str) -> Path:
    tools.mkdir(exist_ok=True)
    (tools / name).write_text(BUILDER)
    (tools / name).chmod(0o755)
    return tools / f"{name}.log"


def test_image_is_built_and_checked_by_the_tool_that_runs(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    docker, buildah = builder(tools, "docker"), builder(tools, "buildah")
    options = ("--with", "buildah", "--base", "ours/python:3", "--", "--network=host")
    done = build_image(tools, *options)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "image blogcrawl: built and checked with buildah\n"
    built, _, checked, removed = buildah.read_text().splitlines()
    assert built.startswith("bud --build-arg BASE=ours/python:3 --network=host -f ")
    assert built.endswith(f"deploy/Dockerfile -t blogcrawl {ROOT}")
    assert checked.startswith("run --network none work-1 -- sh -c blogcrawl --version")
    assert removed == "rm work-1"
    refused = build_image(tools, "--with", "docker")
    assert refused.returncode == 1 and refused.stderr == "blogcrawl: docker does not run here\n"
    assert docker.read_text() == "info\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--bsae", "debian"], "no such option: --bsae"),
        (["--tag"], "--tag needs a value"),
        (["--with", "kaniko"], "kaniko does not run here"),
    ],
)
def test_wrong_options_of_the_image_build_are_one_line(
    tmp_path: Path, options: list[str], message: str
) -> None:
    done = build_image(tmp_path, *options)
    assert done.returncode == 1 and done.stderr.startswith(f"blogcrawl: {message}")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.by_hand
@pytest.mark.timeout(1800)
@pytest.mark.skipif(
    not (shutil.which("buildah") and shutil.which("debootstrap")), reason="no buildah, debootstrap"
)
def test_image_is_built_from_debian_packages_without_docker() -> None:
    """Needs root, Debian's mirror and a package index. The certificates are this machine's, for
    both may be reached through a proxy of its own."""
    certificates = "/etc/ssl/certs"
    done = subprocess.run(
        [
            str(DEPLOY / "build-image"),
            *("--base", "debian", "--with", "buildah", "--tag", "check"),
            *("--", "--network", "host", "-v", f"{certificates}:{certificates}:ro"),
            *("--env", f"PIP_CERT={certificates}/ca-certificates.crt"),
        ],
        env=os.environ | {"BUILDAH_ISOLATION": "chroot"},  # no cgroups are needed
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.endswith("image check: built and checked with buildah\n")


ENDS_IN_ORDER = """
import signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
print("runs", flush=True)
signal.pause()
"""
STARTS_IT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell does for what it starts with &
import deploy_egg
from cluster_local import until_ended
code = until_ended([sys.executable, "-c", sys.argv[1]], dict(os.environ))
print("ended with", code, flush=True)
"""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_cluster_local_goes_on_to_its_end_when_it_is_stopped(sent: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STARTS_IT, ENDS_IN_ORDER],
        env=clean_environment(PYTHONPATH=f"{DEPLOY}:{DEPLOY.parent}"),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "runs\n"
        process.send_signal(sent)
        assert process.stdout.read() == "ended with 7\n"
