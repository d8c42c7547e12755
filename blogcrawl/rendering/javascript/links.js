/* The addresses on the page's own host that it links to, for comparison only. */
() => [...new Set([...document.querySelectorAll('a[href]')].map(a => a.href))]
  .filter(href => href.startsWith(location.origin))
