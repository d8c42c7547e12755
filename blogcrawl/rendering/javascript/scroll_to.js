css => { const e = document.querySelector(css);
  if (e) e.scrollIntoView({block: 'start', behavior: 'instant'}); return !!e; }
