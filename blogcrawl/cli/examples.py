"""Examples in the help of each command: command lines and what they do."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "crawl": (
        ("crawl https://blog.example.org", "archive a blog, or update it"),
        ("crawl blogs.opml", "every blog of an OPML, CSV or plain list"),
        ("crawl - < addresses.txt", "the same from standard input"),
        ("crawl --since 2024-01-01 --max-posts 50 https://blog.example.org", "only some posts"),
        (
            "crawl https://gone.example.org --from-memento https://web.archive.org/web/",
            "a blog that only a web archive has",
        ),
    ),
    "update": (
        ("update", "all blogs of the archive"),
        ("update blog.example.org", "one of them"),
    ),
    "reextract": (("reextract blog.example.org", "today's rules on the archived evidence"),),
    "serve": (
        ("serve", "the archive in a browser, at http://127.0.0.1:8080/"),
        ("serve --archive ~/blogs --port 9000", "another archive at another port"),
        ("serve --hash-password", "the hash of a password, for the file of users"),
        (
            "serve --users users.txt --host 0.0.0.0 --url https://archive.example.org "
            "--files-url https://files.example.org",
            "for other machines, behind a reverse proxy",
        ),
    ),
    "list": (
        ("list", "all blogs"),
        ("list --archive ~/blogs --json", "those of another archive, as JSON"),
    ),
    "show": (
        ("show blog.example.org", "a blog, its last crawl and newest posts"),
        ("show https://blog.example.org/2014/03/a-post/", "a post"),
        ("show blog.example.org --rejected", "pages that were taken for no post"),
    ),
    "search": (
        ("search glacier melting", "both words, in a post or its comments"),
        ("search 'climate change' --year 2019 --year 2020", "a phrase, in two years"),
        ("search 'glaci* -tourism' --json", "a beginning, without a word, as JSON"),
    ),
    "index": (
        ("index", "what is archived and not yet in the index"),
        ("index --rebuild", "all of it again"),
    ),
    "correct": (
        ("correct blog.example.org --post '/stories/*'", "these pages are posts"),
        ("correct blog.example.org --field 'title=//h2[@class=\"name\"]'", "where titles stand"),
        ("correct blog.example.org --list", "what was corrected"),
    ),
    "export": (
        ("export --format jsonl -o posts.jsonl", "all posts, one per line"),
        ("export --format html -o site --blog blog.example.org", "a site to read offline"),
        ("export --format marcxml --since 2024-01-01", "records for a catalogue"),
    ),
    "verify": (
        ("verify", "structure and metadata of all packages"),
        ("verify --deep --report report.html", "every byte, with a report"),
    ),
    "replay": (("replay blog.example.org --port 8090", "the blog as it was, in a browser"),),
    "deposit": (
        ("deposit --to bag:transfer", "packages as bags into a folder"),
        ("deposit --to fedora+https://repository.example.org/rest", "into a Fedora repository"),
    ),
    "import": (
        ("import transfer", "packages of another archive"),
        ("import --warc old-blog.warc.gz", "a blog of a web archive"),
    ),
    "remove": (
        (
            "remove https://blog.example.org/2014/a-post --reason 'at the request of the author'",
            "take a post down",
        ),
    ),
    "rules": (
        ("rules blog.example.org", "the rules and their support"),
        (
            "rules blog.example.org --page https://blog.example.org/a-post --html page.html",
            "why a page was read so",
        ),
    ),
    "controller": (
        (
            "controller blogs.opml --node http://10.0.0.5:6800=4",
            "crawl a list on a node with 4 slots",
        ),
    ),
    "nodes": (
        ("nodes", "all nodes"),
        ("nodes --drain http://10.0.0.5:6800", "send a node no new jobs"),
    ),
    "jobs": (("jobs", "open and recent jobs"),),
    "blogs": (("blogs", "the next visit of each blog"),),
    "report": (
        ("report", "all crawls, per blog"),
        ("report blog.example.org --html report.html", "one page about a blog, to be mailed"),
        ("report --cluster --since 2024-01-01", "per host and node, too"),
    ),
    "doctor": (("doctor", "what is missing on this machine"),),
    "completion": (
        ("completion bash > ~/.local/share/bash-completion/completions/blogcrawl", "bash"),
        ("completion zsh >> ~/.zshrc", "zsh"),
        ("completion fish > ~/.config/fish/completions/blogcrawl.fish", "fish"),
    ),
}


def epilog(name: str, program: str = "blogcrawl") -> str:
    """Return the examples of a command as click's epilog, which keeps the lines as they are."""
    lines = [f"  {program} {line}\n      {what}" for line, what in EXAMPLES.get(name, ())]
    return "\n".join(["\b\nExamples:", *lines]) if lines else ""
