/* Where a click has led: the address of a window that it would have opened, else the page's. */
() => {
  try { return new URL(window.openedByScript || location.href, location.href).href; }
  catch (e) { return location.href; }
}
