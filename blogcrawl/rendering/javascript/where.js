/* Changes when a click leads to another page. */
() => location.href + ' ' + (document.querySelector('h1') || document.body).textContent
