"""The JavaScript that runs in pages: small functions, each one task, in ``javascript/*.js``."""

from importlib.resources import files


def _function(name: str) -> str:
    return files(__package__).joinpath("javascript", f"{name}.js").read_text("utf-8")


TEXT_SIZE = _function("text_size")
EXISTS = _function("exists")
SCROLL_ON = _function("scroll_on")
SCROLL_TO = _function("scroll_to")
CLICK = _function("click")
MORE = _function("more")
TURN = _function("turn")
LINKS = _function("links")
CARDS = _function("cards")
PLACE = _function("place")
REVEAL = _function("reveal")
WHERE = _function("where")
DRAWN = _function("drawn")
SHADOW_ROOTS = _function("shadow_roots")
BOXES = _function("boxes")
PAGE_SIZE = _function("page_size")
TAME = _function("tame")

BACK = "() => history.back()"
"""To the page before, as a reader goes back."""
FRAMES = """() => new Promise(done => {
  setTimeout(done, 3000);
  requestAnimationFrame(() => requestAnimationFrame(done));
})"""
"""Until two pictures were drawn: events of scrolling come with these, late on a busy machine."""
