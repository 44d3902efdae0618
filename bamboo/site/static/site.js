/* What every page shares: loading data files, the colours, sorting tables, switching views. */
"use strict";

const bamboo = (() => {
  const waiting = new Map();
  const root = document.documentElement.dataset.root;

  /* A data file; each is loaded once. A page opened from disk may load scripts but not fetch. */
  function load(name) {
    if (!waiting.has(name)) {
      const entry = {};
      entry.promise = new Promise((done, failed) => Object.assign(entry, { done, failed }));
      waiting.set(name, entry);
      const script = document.createElement("script");
      script.src = `${root}data/${name}.js`;
      script.onerror = () => {
        waiting.delete(name);
        entry.failed(new Error(`${name} cannot be loaded`));
      };
      document.head.append(script);
    }
    return waiting.get(name).promise;
  }

  function add(name, data) {
    if (!waiting.has(name)) waiting.set(name, { promise: Promise.resolve(data) });
    else waiting.get(name).done(data);
  }

  /* An element with attributes and children; text is never markup. */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  const score = (value) => (value === null ? "–" : (value / 1e4).toFixed(4));

  return { load, add, make, score, root };
})();

(() => {
  const themes = ["system", "light", "dark"];
  const named = { system: "system default", light: "light", dark: "dark" };
  const signs = { system: "◐", light: "○", dark: "●" };

  function kept() {
    try {
      return localStorage.getItem("theme") || "system";
    } catch {
      return "system";
    }
  }

  function show(theme) {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    const button = document.getElementById("theme");
    if (button) {
      button.textContent = signs[theme];
      button.setAttribute("aria-label", `Colours: ${named[theme]}`);
      button.title = `Colours: ${named[theme]}`;
    }
    document.dispatchEvent(new Event("colours"));
  }

  show(kept());

  /* Numbers start with the largest, ranks and words with the first; what is missing stays last. */
  function sort(table, column, heading) {
    const value = (row) => row.cells[column].dataset.v ?? row.cells[column].textContent.trim();
    const rows = [...table.tBodies[0].rows];
    const numeric = rows.every((row) => !Number.isNaN(Number(value(row))));
    const before = heading.getAttribute("aria-sort");
    const falling = before ? before === "ascending" : numeric && column > 0;
    rows.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      if (x === "" || y === "") return (x === "") - (y === "");
      return (falling ? -1 : 1) * (numeric ? x - y : x.localeCompare(y));
    });
    for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
    table.classList.toggle("resorted", column > 0 || falling);
    table.tBodies[0].append(...rows);
  }

  /* Hide the rows of metrics that do not have all properties asked for. What a submission needs
     and offers is not known, so that it is shown only without conditions on properties. */
  function narrow(filter) {
    const asked = [...filter.querySelectorAll("input:checked")].map((input) => input.value);
    const named = filter.querySelector("input[type=search]").value.trim().toLowerCase();
    for (const board of document.querySelectorAll(".board")) {
      const rows = [...board.querySelectorAll(".leaderboard tbody tr")];
      for (const row of rows) {
        const has = row.dataset.properties.split(" ");
        const suits = asked.every((name) => (name.startsWith("-") ? !has.includes(name.slice(1)) : has.includes(name)));
        const name = row.querySelector("th a").textContent.toLowerCase();
        row.hidden = !(suits && name.includes(named)) || (asked.length > 0 && "submitted" in row.dataset);
      }
      const count = rows.filter((row) => !row.hidden).length;
      board.querySelector(".shown").textContent = count === rows.length ? ""
        : `${count} of ${rows.length} metrics are shown. Their ranks are those among all metrics.`;
    }
  }

  /* On a phone: say that a wide table or drawing scrolls, until it has been scrolled. */
  function hint(region) {
    const words = bamboo.make("p", { class: "hint", "aria-hidden": "true" }, "Scroll sideways to see all of it →");
    region.before(words);
    const measure = () => words.classList.toggle("more", region.scrollWidth > region.clientWidth + 1 && region.scrollLeft < 4);
    new ResizeObserver(measure).observe(region);
    region.addEventListener("scroll", measure, { passive: true });
    if (region.firstElementChild) new ResizeObserver(measure).observe(region.firstElementChild);
    measure();
  }

  document.addEventListener("DOMContentLoaded", () => {
    show(kept());
    document.getElementById("theme").addEventListener("click", () => {
      const next = themes[(themes.indexOf(kept()) + 1) % themes.length];
      try {
        localStorage.setItem("theme", next);
      } catch { /* kept for this page only */ }
      show(next);
    });
    for (const table of document.querySelectorAll("table.sortable")) {
      for (const button of table.querySelectorAll("thead button")) {
        const heading = button.closest("th");
        button.addEventListener("click", () => sort(table, heading.cellIndex, heading));
      }
    }
    const filter = document.getElementById("filter");
    if (filter) {
      filter.addEventListener("input", () => narrow(filter));
      narrow(filter);
    }
    for (const region of document.querySelectorAll(".scroll")) hint(region);
    new MutationObserver((changes) => {
      for (const node of changes.flatMap((change) => [...change.addedNodes])) {
        if (!(node instanceof HTMLElement)) continue;
        if (node.matches(".scroll")) hint(node);
        for (const region of node.querySelectorAll(".scroll")) hint(region);
      }
    }).observe(document.getElementById("main"), { childList: true, subtree: true });
    const choices = document.querySelectorAll("input[name=protocol], input[name=view]");
    const apply = () => {
      for (const { name, value } of [...choices].filter((choice) => choice.checked)) {
        if (name === "protocol") {
          for (const board of document.querySelectorAll(".board")) {
            board.hidden = board.id !== `board-${value}`;
          }
        } else {
          for (const table of document.querySelectorAll(".leaderboard")) table.dataset.view = value;
        }
      }
    };
    for (const choice of choices) choice.addEventListener("change", apply);
    apply();
  });
})();
