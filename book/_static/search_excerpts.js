// Shows below each result of the search the section in which the words stand. Without a server no page can be fetched, so the text of all
// pages is a script of its own, search_text.js. A page that is found twice stands once.
"use strict";

(() => {
  const AROUND = 110;
  const results = document.getElementById("search-results");
  const words = (new URLSearchParams(location.search).get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const root = new URL(".", location.href).href;

  /** The section of a page in which most of the words stand, and the place of the first word; none if no word stands on the page. */
  function bestSection(name) {
    let best = null;
    for (const [heading, anchor, text] of window.conflictFreeTexts[name] ?? []) {
      const lower = text.toLowerCase();
      const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
      if (places.length > (best?.count ?? 0)) best = { heading, anchor, text, count: places.length, place: Math.min(...places) };
    }
    return best;
  }

  /** The text around a place, cut at spaces, with the words marked. */
  function excerpt({ text, place }) {
    const from = place > AROUND ? text.indexOf(" ", place - AROUND) + 1 : 0;
    const to = place + AROUND < text.length ? text.lastIndexOf(" ", place + AROUND) : text.length;
    const paragraph = document.createElement("p");
    paragraph.className = "context";
    const wanted = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "i");
    paragraph.append(from ? "… " : "");
    for (const [i, part] of text.slice(from, Math.max(to, place)).split(wanted).entries()) {
      const made = i % 2 ? document.createElement("mark") : document.createTextNode(part);
      if (i % 2) made.textContent = part;
      paragraph.append(made);
    }
    paragraph.append(to < text.length ? " …" : "");
    return paragraph;
  }

  function complete(item) {
    const link = item.querySelector("a[href]");
    if (!link || item.dataset.page) return;
    const page = new URL(link.href);
    const name = decodeURIComponent((page.origin + page.pathname).replace(/^null/, "file://").slice(root.length)).replace(/\.html$/, "");
    if ([...results.querySelectorAll("li[data-page]")].some((other) => other.dataset.page === name)) return item.remove();
    item.dataset.page = name;
    const best = bestSection(name);
    if (!best) return;
    const section = document.createElement("a");
    section.href = `${page.href.split(/[?#]/)[0]}#${best.anchor}`;
    section.textContent = best.heading;
    const where = document.createElement("p");
    where.className = "found-in";
    where.append("in ", section);
    item.append(where, excerpt(best));
  }

  new MutationObserver(() => results.querySelectorAll("li").forEach(complete)).observe(results, { childList: true, subtree: true });
})();
