/* Pairs to explore: a list that fields filter and order, one pair that is open, and keys. The pages
   say what is listed and what an open pair shows: `pairs.js` the pairs of the benchmark under each
   metric, `sentences.js` the sentences of a report with each parser. */
"use strict";

/* page.find(form): the items, in their order; page.range(items): which of them are listed;
   page.status(items): what is said above; page.link(item): an item of the list;
   page.changed(event): a field was changed; page.step(by): go to the next item or the one before. */
bamboo.explorer = (page) => {
  const fields = document.getElementById("filters");
  const list = document.getElementById("list"), status = document.getElementById("status");
  let turn = 0, pause;
  const explorer = { form: fields.elements, items: [], search, show, mark };

  /* Find the items; false if that failed, or if another search has begun since. */
  async function search() {
    const mine = ++turn;
    try {
      const items = await page.find(fields.elements);
      if (mine !== turn) return false;
      explorer.items = items;
    } catch (error) {
      status.textContent = `${error.message}. Is the folder complete?`;
      return false;
    }
    return true;
  }

  function show() {
    const [first, end] = page.range(explorer.items);
    status.replaceChildren(...page.status(explorer.items));
    list.replaceChildren(...explorer.items.slice(first, end).map((item) => bamboo.make("li", {}, page.link(item))));
    mark((link) => link.hasAttribute("aria-current"));
  }

  /* Mark the links of the list that lead to the open item, and scroll the list to them. */
  function mark(isOpen) {
    for (const link of list.querySelectorAll("a")) {
      if (!isOpen(link)) {
        link.removeAttribute("aria-current");
        continue;
      }
      link.setAttribute("aria-current", "true");
      const [item, box] = [link.getBoundingClientRect(), list.getBoundingClientRect()];
      list.scrollTop += Math.min(0, item.top - box.top) + Math.max(0, item.bottom - box.bottom);
    }
  }

  for (const kind of ["input", "change"]) {
    fields.addEventListener(kind, (event) => {
      clearTimeout(pause);
      pause = setTimeout(() => page.changed(event), event.target.type === "search" ? 150 : 0);
    });
  }
  fields.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const search = fields.querySelector("input[type=search]");
    if (event.target.matches("input, select, textarea")) {
      if (event.key !== "Escape" || !event.target.matches("input")) return;
      search.value = "";
      event.target.blur();
      page.changed({ target: search });
      return;
    }
    const does = { j: () => page.step(1), k: () => page.step(-1), "/": () => search.focus(), ...page.keys }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  });
  return explorer;
};

/* The words that are searched for: all must occur, in any order. */
bamboo.searched = (text) => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return {
    isEmpty: !words.length,
    isIn: (lowered) => words.every((word) => lowered.includes(word)),
    /* A text with these words marked. */
    marked: (shown) => (words.length
      ? shown.split(new RegExp(`(${escaped.join("|")})`, "i")).map((part, n) => (n % 2 ? bamboo.make("mark", {}, part) : part))
      : [shown]),
  };
};

/* Items by a key, largest first; equal ones keep their order. Items without a value come last. */
bamboo.ordered = (items, key) => {
  const value = (item) => { const v = key(item); return v === null || Number.isNaN(v) ? -Infinity : v; };
  return items.map((item) => [value(item), item])
    .sort(([a], [b]) => (a === b ? 0 : b > a ? 1 : -1)).map(([, item]) => item);
};

/* A value by its key; undefined for keys such as "constructor" that all objects have. */
bamboo.own = (object, key) => (object && Object.hasOwn(object, key) ? object[key] : undefined);

/* What a system (a metric or a parser) shows of a pair, from a file of graphs. */
bamboo.pairOf = (chunk, system, within) => {
  const part = (name) => bamboo.own(chunk[name], system)?.[within];
  const numbers = part("pairs");
  return {
    graphs: numbers ? numbers.map((n) => chunk.outlines[n]) : null,
    numbers, links: part("links") ?? [], marks: part("marks"), counts: part("counts"), effects: part("effects"),
    kinds: bamboo.own(chunk.kinds, system), features: bamboo.own(chunk.features, system),
  };
};
