"""``python -m blogcrawl``: the command line."""

from blogcrawl.cli.main import run

if __name__ == "__main__":
    run()
