"""What deploy/ holds for others' tools: files that parse, commands and options that exist, settings that have a name."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from click import Context

from blogcrawl.cli.controller import controller
from blogcrawl.config import PREFIX, Config
from tests.cluster.realnodes import deploy_module
from tests.conftest import ROOT

yaml = pytest.importorskip("yaml")
DEPLOY = ROOT / "deploy"
OTHERS = {"NODES_USERNAME", "NODES_PASSWORD", "BROWSER_PATH", "VENV", "CONTROLLER_OPTIONS"}
"""Variables that are no settings of a crawl."""
TEXTS = [
    DEPLOY / "Dockerfile",
    DEPLOY / "compose.yaml",
    DEPLOY / "kubernetes/blogcrawl.yaml",
    *(DEPLOY / "systemd").iterdir(),
    DEPLOY / "node",
]


def parsed(words: list[str]) -> dict[str, Any]:
    context: Context = controller.make_context("controller", words)
    return context.params


def test_compose_starts_what_exists() -> None:
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


def test_kubernetes_starts_what_exists() -> None:
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
            assert ("Secret", container["envFrom"][0]["secretRef"]["name"]) in by_kind


def test_cluster_local_takes_its_options_before_and_after_the_lists() -> None:
    text = (DEPLOY / "cluster-local").read_text()
    shown = [line.split("  ")[0].split()[2:] for line in re.findall(r"^#   (.+)", text.replace("#   ", "#   x "), re.M)]
    assert shown == [["3", "blogs.opml"], ["3", "--keep", "blogs.opml"]]
    deploy_module("deploy_egg")  # the other imports it
    arguments = deploy_module("cluster_local").arguments
    for words, keep in zip(shown, (False, True), strict=True):
        args, rest = arguments(words)
        assert (args.nodes, args.keep, args.archive, rest) == (3, keep, "archive", ["blogs.opml"])
    args, rest = arguments(["2", "a.txt", "--base-hours", "5", "--archive", "x", "--set", "render=never", "--slots", "4", "b.csv"])
    assert (args.nodes, args.archive, args.slots, args.keep) == (2, "x", 4, False)
    given = parsed(rest)
    assert (given["lists"], given["base_hours"], given["pairs"]) == (("a.txt", "b.csv"), 5.0, ("render=never",))


def test_image_copies_and_starts_what_exists() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    for source in re.findall(r"^COPY (\S+) ", text, re.M):
        assert (ROOT / source).exists()
    for script in re.findall(r"deploy/[\w.-]+", text):
        assert (ROOT / script).exists(), script
    assert (DEPLOY / "node").stat().st_mode & 0o111


def test_units_start_what_exists(tmp_path: Path) -> None:
    for unit in (DEPLOY / "systemd").glob("*.service"):
        [start] = re.findall(r"^ExecStart=/opt/blogcrawl/(\S+)", unit.read_text(), re.M)
        assert (ROOT / start).stat().st_mode & 0o111, unit
    if shutil.which("systemd-analyze") is None:
        return
    units = []
    for unit in (DEPLOY / "systemd").glob("*.service"):
        units.append(tmp_path / unit.name)
        units[-1].write_text(unit.read_text().replace("/opt/blogcrawl/", f"{ROOT}/"))
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, timeout=60)
    told = [line for line in done.stderr.splitlines() if "blogcrawl-" in line]
    assert not told, told


def test_every_variable_has_a_meaning() -> None:
    known = {spec.name.upper() for spec in fields(Config)} | OTHERS
    for path in [*TEXTS, ROOT / "docs/cluster.md"]:
        for name in re.findall(rf"{PREFIX}([A-Z][A-Z_]*[A-Z])\b(?!_)", path.read_text()):
            assert name in known, f"{path.name}: {PREFIX}{name}"


def test_commands_of_the_manual_exist() -> None:
    """Each ``blogcrawl controller|nodes|blogs|jobs|report …`` and each benchmark that docs/cluster.md and docs/scale.md name."""
    from blogcrawl.cli.main import cli

    for page in ("cluster.md", "scale.md"):
        text = (ROOT / "docs" / page).read_text()
        for name, words in re.findall(r"`(?:blogcrawl )?(controller|nodes|blogs|jobs|report) (-[^`]+)`", text):
            command = cli.get_command(Context(cli), name)
            assert command is not None
            options = {option for parameter in command.params for option in parameter.opts}
            for option in re.findall(r"--[a-z-]+", words):
                assert option in options, f"{page}: {name} {option}"
        for script in re.findall(r"(?:tests/benchmarks|deploy)/[\w/.-]+", text):
            assert (ROOT / script.rstrip(".")).exists(), f"{page}: {script}"
