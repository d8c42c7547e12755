/* Search in the posts of one blog of a static site. Part of blogcrawl, under its licence (MIT). */
(() => {
  "use strict";
  const form = document.querySelector("form.search");
  if (!form) return;
  const input = form.querySelector("input"), status = form.querySelector("[role=status]");
  const list = document.querySelector("#found"), most = 50, posts = [];
  let loading = null, turn = 0;

  const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

  self.blogcrawlSearch = (rows) => {
    for (const row of rows) posts.push({ row, text: fold([row[1], row[3].join(" "), row[4]].join("\n")) });
  };

  const script = (number) => new Promise((done, failed) => {
    const element = document.createElement("script");
    element.src = `search/${number}.js`;
    element.onload = done;
    element.onerror = failed;
    document.head.append(element);
  });

  const load = () => {
    loading ??= Promise.all(Array.from({ length: Number(form.dataset.parts) }, (_, n) => script(n)));
    return loading;
  };

  /* Words, and phrases in quotation marks; all must be there. */
  const parsed = (query) => [...query.matchAll(/"([^"]+)"|(\S+)/g)].map((m) => fold(m[1] ?? m[2])).filter(Boolean);

  /* Place of a folded word in a text: folding changes lengths, so it goes character by character. */
  const place = (text, word) => {
    let folded = "";
    const origin = [];
    let at = 0;
    for (const char of text) {
      const piece = fold(char);
      for (let n = 0; n < piece.length; n++) origin.push(at);
      folded += piece;
      at += char.length;
    }
    const start = folded.indexOf(word);
    if (start < 0) return null;
    const end = start + word.length;
    return [origin[start], end < origin.length ? origin[end] : text.length];
  };

  const snippet = (text, word) => {
    const element = document.createElement("p");
    const found = place(text, word);
    const from = found ? Math.max(0, found[0] - 70) : 0;
    const to = Math.min(text.length, (found ? found[1] : 0) + 140);
    element.dir = "auto";
    if (from > 0) element.append("… ");
    if (found) {
      const mark = document.createElement("mark");
      mark.textContent = text.slice(found[0], found[1]);
      element.append(text.slice(from, found[0]), mark, text.slice(found[1], to));
    } else element.append(text.slice(from, to));
    if (to < text.length) element.append(" …");
    return element;
  };

  const shown = ({ row }, words) => {
    const [page, title, date, , text] = row;
    const item = document.createElement("li"), time = document.createElement("time");
    const link = document.createElement("a");
    const bare = date.replace("~", "");
    time.dateTime = bare;
    time.textContent = bare === date ? date : `~${bare}`;
    link.href = page;
    link.dir = "auto";
    link.textContent = title;
    item.append(time, link, snippet(text, words.find((word) => fold(text).includes(word)) ?? words[0]));
    return item;
  };

  const search = async () => {
    const words = parsed(input.value), own = ++turn;
    if (!words.length) {
      list.replaceChildren();
      status.textContent = "";
      return;
    }
    status.textContent = form.dataset.searching;
    try {
      await load();
    } catch {
      status.textContent = form.dataset.unreadable;
      return;
    }
    if (own !== turn) return;
    const found = posts.filter((post) => words.every((word) => post.text.includes(word))).reverse();
    const titled = found.filter(({ row }) => words.every((word) => fold(row[1]).includes(word)));
    const ranked = [...new Set([...titled, ...found])];
    status.textContent = `${form.dataset.found} ${found.length}${found.length > most ? `, ${form.dataset.first}` : ""}`;
    list.replaceChildren(...ranked.slice(0, most).map((post) => shown(post, words)));
  };

  let wait;
  input.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(search, 200);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    search();
  });
  form.hidden = false;
})();
