"""The JavaScript that runs in pages: small functions, each one task."""

TEXT_SIZE = """() => {
  let size = 0;
  const add = root => {
    const all = root.querySelectorAll('*');
    size += (root.textContent || '').length + (root.documentElement ?
      root.documentElement.textContent.length : 0) + all.length;
    for (const e of all) if (e.shadowRoot) add(e.shadowRoot);
  };
  add(document);
  return size;
}"""
"""A number that changes when anything is added or taken away."""

EXISTS = """css => {
  const find = root => root.querySelector(css) ||
    [...root.querySelectorAll('*')].some(e => e.shadowRoot && find(e.shadowRoot));
  return !!find(document);
}"""

SCROLL_ON = """() => {
  const e = document.scrollingElement || document.documentElement;
  if (!e) return true;
  const before = e.scrollTop;
  window.scrollBy(0, Math.max(400, window.innerHeight * 0.9));
  return e.scrollTop === before || e.scrollTop + window.innerHeight >= e.scrollHeight - 2;
}"""
"""One screen down; true at the end of the page."""

SCROLL_TO = """css => { const e = document.querySelector(css);
  if (e) e.scrollIntoView({block: 'start', behavior: 'instant'}); return !!e; }"""

CLICK = """([selectors, most]) => {
  const found = [];
  const gather = root => {
    for (const css of selectors) for (const e of root.querySelectorAll(css))
      if (!found.includes(e)) found.push(e);
    for (const e of root.querySelectorAll('*')) if (e.shadowRoot) gather(e.shadowRoot);
  };
  gather(document);
  let done = 0;
  for (const e of found) {
    if (done >= most) break;
    const style = getComputedStyle(e);
    if (e.disabled || style.display === 'none' || style.visibility === 'hidden' ||
      !e.getClientRects().length) continue;
    const link = e.closest('a[href]');
    if (link && !/^(#|javascript:)/i.test(link.getAttribute('href')) &&
      !link.getAttribute('onclick')
        && link.href.split('#')[0] !== location.href.split('#')[0])
      link.addEventListener('click', event => event.preventDefault(), {once: true});
    e.click();
    done++;
  }
  return done;
}"""
"""Clicks up to ``most`` visible nodes of the selectors, in shadow roots too. A link that would
leave the page is clicked without leaving."""

MORE = """([words, names]) => {
  const says = new RegExp(words, 'i'), called = new RegExp(names, 'i');
  const leads = a => { const h = (a.getAttribute('href') || '').trim(); return h &&
    !/^(#|javascript:)/i.test(h); };
  for (const e of document.querySelectorAll(
    'button, a, input[type=button], [role=button], div, span')) {
    const label = (e.value || e.innerText || '').trim().replace(/\\s+/g, ' ');
    const box = e.localName === 'div' || e.localName === 'span';
    const named = called.test(' ' + (e.getAttribute('class') || '') + ' ' + e.id);
    if (label.length > 40 || !(says.test(label) && (!box || named ||
      e.getAttribute('role') === 'button')) && !(named && label)) continue;
    if (e.disabled || !e.getClientRects().length ||
      [e, ...e.querySelectorAll('a')].some(leads)) continue;
    if (e.closest('[class*=comment], [id*=comment]')) continue;
    e.click();
    return 1;
  }
  window.scrollTo(0, (document.scrollingElement || document.documentElement).scrollHeight);
  return 0;
}"""
"""Clicks the control that shows more of a list, or scrolls to the end; the clicks."""

REVEAL = """ofComments => {
  const shows = 'img, picture, video, audio, iframe, svg, canvas, input, textarea';
  const places = ['div', 'section', 'ul', 'ol', 'article', 'aside', 'p', 'span'];
  const words = e => (e.textContent || '').trim();
  const empty = e => e && places.includes(e.localName) && !words(e) && !e.querySelector(shows);
  const place = e => {
    const id = e.getAttribute('aria-controls');
    if (id) return empty(document.getElementById(id));
    const label = words(e);
    for (let box = e, level = 0; level < 2; level++, box = box.parentElement) {
      if (box.nextElementSibling) return empty(box.nextElementSibling);
      if (!box.parentElement || words(box.parentElement) !== label) return false;
      if (box.parentElement.localName === 'section' || level === 1) return true;
    }
    return false;
  };
  for (const e of document.querySelectorAll('button, a, [role=button]')) {
    const href = (e.getAttribute('href') || '#').trim();
    if (!/^(#$|javascript:)/i.test(href) || e.disabled || !e.getClientRects().length) continue;
    if (e.closest('header, nav, footer, aside, form, dialog, menu') || e.blogcrawl) continue;
    if (!/\\p{L}{3}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}/u.test(words(e))) continue;
    let boxes = 0;
    for (let box = e.parentElement; box; box = box.parentElement)
      boxes += new RegExp(ofComments, 'i').test(box.className + ' ' + box.id);
    if (boxes > 1 || !place(e)) continue;
    e.blogcrawl = true;
    e.click();
    return true;
  }
  return false;
}"""
"""Clicks the next button that has an empty place to fill, or nothing else around it; whether there
was one. See ``reveal``."""

WHERE = "() => location.href + ' ' + (document.querySelector('h1') || document.body).textContent"
"""Changes when a click leads to another page."""

DRAWN = """systems => systems.filter(([name, unit, author, body]) =>
  [...document.querySelectorAll(unit)].some(e => e.querySelector(author) && e.querySelector(body)))
  .map(([name]) => name)"""
"""Names of comment systems whose comments the page shows."""

SHADOW_ROOTS = """most => {
  const out = [];
  const walk = root => {
    for (const e of root.querySelectorAll('*')) 
      if (e.shadowRoot && out.length < most) { out.push(e.shadowRoot.innerHTML);
        walk(e.shadowRoot); }
  };
  walk(document);
  return out.filter(h => h.replace(/<style[\\s\\S]*?<\\/style>/g, '').length > 200);
}"""

BOXES = """most => {
  const out = {};
  let count = 0;
  const walk = (node, path) => {
    const seen = {}, total = {};
    for (const c of node.children) { const n = c.localName; total[n] = (total[n] || 0) + 1; }
    for (const c of node.children) {
      const n = c.localName;
      seen[n] = (seen[n] || 0) + 1;
      if (count >= most || n === 'script' || n === 'style' || n === 'head' ||
        n.includes(':')) continue;
      const own = path + '/' + n + (total[n] > 1 ? '[' + seen[n] + ']' : '');
      const r = c.getBoundingClientRect();
      if (r.width > 0 && r.height > 0) {
        out[own] = [r.left + scrollX, r.top + scrollY, r.width, r.height]
          .map(v => Math.round(v * 10) / 10);
        count++;
      }
      walk(c, own);
    }
  };
  const root = document.documentElement;
  if (root) { const r = root.getBoundingClientRect(); out['/html'] = [0, 0, r.width, r.height];
    walk(root, '/html'); }
  return out;
}"""
"""Boxes by XPath, as lxml's ``getpath`` writes it: positions only among siblings."""

PAGE_SIZE = (
    "() => [Math.max(document.documentElement.scrollWidth, 1), "
    "Math.max(document.documentElement.scrollHeight, 1)]"
)

TAME = """() => {
  window.open = () => null;
  window.print = () => undefined;
  window.alert = window.confirm = window.prompt = () => null;
  window.onbeforeunload = null;
  if (navigator.serviceWorker) try {
    navigator.serviceWorker.register = () => new Promise(() => {}); } catch (e) {}
}"""
"""Runs before any script of any frame: no pop-ups, dialogs, print windows, service workers."""
