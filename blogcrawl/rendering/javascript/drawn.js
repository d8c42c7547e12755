/* Names of comment systems whose comments the page shows. */
systems => systems.filter(([name, unit, author, body]) =>
  [...document.querySelectorAll(unit)].some(e => e.querySelector(author) && e.querySelector(body)))
  .map(([name]) => name)
