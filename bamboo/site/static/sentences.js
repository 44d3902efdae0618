/* The sentences of a report on parsers: filter, order, and open them. The address names what is
   shown: #number/parser/other parser/kind of error/aspect. */
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const { make, load, score, tables } = bamboo;
  const about = JSON.parse(document.getElementById("about").textContent);
  const form = document.getElementById("filters").elements;
  const list = document.getElementById("list");
  const status = document.getElementById("status");
  const shown = document.getElementById("pair");
  const PAGE = 40;
  const names = new Map(about.parsers.map(({ slug, name }) => [slug, name]));
  let matches = [], page = 0, turn = 0, opened = null;

  /* A value by its key; undefined for keys such as "constructor" that all objects have. */
  const own = (object, key) => (Object.hasOwn(object, key) ? object[key] : undefined);
  const addressOf = (k) => {
    const parts = [k, form.a.value, form.b.value, form.kind.value, form.aspect.value].map(String);
    while (parts[parts.length - 1] === "") parts.pop();
    return bamboo.address(...parts);
  };
  const sign = (units) => (units === null ? "–" : `${units > 0 ? "+" : units < 0 ? "−" : ""}${score(Math.abs(units))}`);
  const nameOf = (all, k) => all.ids[k] ?? `pair ${k}`;

  /* How many triples of a parser have an error of a kind; of any kind without one. */
  function count(errors, kind) {
    let sum = 0;
    for (let n = 0; n < (errors?.length ?? 0); n += 2) if (kind < 0 || errors[n] === kind) sum += errors[n + 1];
    return sum;
  }

  /* What the list needs: sentences, the scores of one or two parsers, and those of an aspect. */
  async function chosen() {
    const [a, b] = [form.a.value, form.b.value];
    const aspect = about.aspects.indexOf(form.aspect.value);
    const [all, first, second, of] = await Promise.all([load("sentences"), load(`scores/${a}`),
      b ? load(`scores/${b}`) : null, aspect < 0 ? null : load(`aspects/${aspect}`)]);
    return { all, first, a: of ? of[a] : first.scores, b: b ? (of ? of[b] : second.scores) : null };
  }

  async function search() {
    const mine = ++turn;
    let data;
    try {
      data = await chosen();
    } catch (error) {
      status.textContent = `${error.message}. Is the report's folder complete?`;
      return;
    }
    if (mine !== turn) return;
    const words = form.search.value.trim().toLowerCase();
    const kind = about.kinds.indexOf(form.kind.value);
    matches = [];
    data.all.ids.forEach((id, k) => {
      if (form.aspect.value && data.a[k] === null && !(data.b && data.b[k] !== null)) return;
      if (form.kind.value && !count(data.first.errors[k], kind)) return;
      if (words && String(k) !== words && (id ?? "").toLowerCase() !== words &&
        !`${id ?? ""} ${data.all.sentences[k]}`.toLowerCase().includes(words)) return;
      const gap = data.b && data.a[k] !== null && data.b[k] !== null ? data.a[k] - data.b[k] : null;
      matches.push({ k, a: data.a[k], b: data.b && data.b[k], gap, size: data.all.sizes[k], errors: count(data.first.errors[k], kind) });
    });
    const last = (value) => (value === null ? -Infinity : value);
    const keys = {
      number: null, low: (m) => (m.a === null ? -Infinity : -m.a), high: (m) => last(m.a), size: (m) => m.size, errors: (m) => m.errors,
      gap: (m) => last(m.gap === null ? null : Math.abs(m.gap)), better: (m) => last(m.gap), worse: (m) => (m.gap === null ? -Infinity : -m.gap),
    };
    const key = keys[form.order.value];
    if (key) matches.sort((one, other) => key(other) - key(one));
    page = 0;
    show(data.all);
  }

  function show(all) {
    const pages = Math.max(1, Math.ceil(matches.length / PAGE));
    const [a, b] = [names.get(form.a.value), names.get(form.b.value)];
    const better = matches.filter(({ gap }) => gap > 0).length, worse = matches.filter(({ gap }) => gap < 0).length;
    status.textContent = `${matches.length.toLocaleString("en")} sentence${matches.length === 1 ? "" : "s"}.` +
      (b === undefined ? "" : ` ${a} is better on ${better.toLocaleString("en")}, ${b} on ${worse.toLocaleString("en")}.`);
    document.getElementById("page").textContent = `${page + 1} of ${pages}`;
    document.getElementById("before").disabled = page === 0;
    document.getElementById("after").disabled = page + 1 >= pages;
    list.replaceChildren(...matches.slice(page * PAGE, (page + 1) * PAGE).map((match) => {
      const numbers = make("span", { class: "small" }, `${a} `, make("b", {}, score(match.a)));
      if (match.errors) numbers.append(form.kind.value ? ` (${match.errors} × ${form.kind.value})` : ` (${match.errors} error${match.errors === 1 ? "" : "s"})`);
      if (b !== undefined) numbers.append(` · ${b} `, make("b", {}, score(match.b)), " · ", make("b", {}, sign(match.gap)));
      const link = make("a", { href: `#${addressOf(match.k)}` }, make("span", { class: "where" }, nameOf(all, match.k)),
        ...(all.sentences[match.k] ? [make("span", { class: "say" }, all.sentences[match.k])] : []), numbers);
      if (opened === match.k) link.setAttribute("aria-current", "true");
      return make("li", {}, link);
    }));
  }

  /* The triples that only one graph has, with their kinds of error. */
  function errorsTable(flat, words) {
    const rows = [];
    for (let n = 0; n < flat.length; n += 3) rows.push([about.kinds[flat[n]], flat[n + 1], words[flat[n + 2]]]);
    rows.sort((x, y) => about.kinds.indexOf(x[0]) - about.kinds.indexOf(y[0]) || x[1] - y[1]);
    if (!rows.length) return make("p", { class: "note" }, "All triples match.");
    return make("section", { class: "why wide", "aria-label": "Differing triples" }, make("h3", {}, "Differing triples"),
      make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Differing triples" },
        make("table", { class: "numbers differing" }, tables.heads(["kind of error", "only in", "triple"]),
          make("tbody", {}, ...rows.map(([kind, side, text]) => make("tr", kind === form.kind.value ? { class: "chosen" } : {},
            make("th", { scope: "row" }, kind), make("td", { class: "text" }, side ? "gold" : "parse"), make("td", { class: "text" }, text)))))));
  }

  /* A parser's graph beside the gold graph. */
  function parse(slug, k, chunk, scores) {
    const within = k % about.chunk, name = names.get(slug);
    const parts = [make("h3", { class: "parser" }, name, " ", make("span", { class: "muted" }, score(scores.scores[k])))];
    const problem = scores.problems[k];
    if (problem !== undefined) parts.push(make("p", { class: "note" }, problem));
    const pair = chunk.pairs[slug][within];
    if (pair === null) return parts;
    const [links, marks, errors, counts, effects] = ["links", "marks", "errors", "counts", "effects"]
      .map((part) => own(chunk[part], slug)?.[within]);
    const drawn = bamboo.draw(pair.map((n) => chunk.outlines[n]), chunk.words, links ?? [], marks);
    const heading = make("p", { class: "note sides" }, `Left: ${name}. Right: gold. `);
    if (marks) heading.append(make("span", { class: "swatch" }, "Orange, dashed or in italics"), ": only in one graph. ▸ is the root.");
    parts.push(heading, make("div", { class: "scroll picture", role: "region", tabindex: "0", "aria-label": `${name} and gold` }, drawn.picture));
    const why = [];
    if (errors && chunk.kinds[slug].length) why.push(errorsTable(errors, chunk.words));
    const sides = scores.sides.length === 2 ? scores.sides.map((column) => column[k]) : null;
    if (counts) why.push(tables.counts(chunk.kinds[slug], counts, sides && [...sides, scores.scores[k]], about.metric, ["parse", "gold"]));
    if (effects) why.push(tables.effects(chunk.features[slug], effects, scores.scores[k]));
    parts.push(make("div", { class: "beside" }, ...why));
    if (links?.length) parts.push(tables.links(drawn.links, drawn.sides, ["parse", "gold"]));
    return parts;
  }

  async function open(k) {
    const began = performance.now();
    const chosenNow = [...new Set([form.a.value, form.b.value].filter((slug) => slug))];
    const [all, chunk, ...scores] = await Promise.all([load("sentences"), load(`graphs/${Math.floor(k / about.chunk)}`),
      ...about.parsers.map(({ slug }) => load(`scores/${slug}`))]);
    const rows = about.parsers.map(({ slug, name }, n) => {
      const button = make("button", { type: "button", class: "quiet", "aria-pressed": chosenNow.includes(slug) }, name);
      button.addEventListener("click", () => {
        if (form.a.value !== slug) [form.a.value, form.b.value] = [slug, form.a.value];
        location.hash = addressOf(k);
      });
      return make("tr", chosenNow.includes(slug) ? { class: "chosen" } : {}, make("th", { scope: "row" }, button), make("td", {}, score(scores[n].scores[k])),
        ...scores[n].sides.map((column) => make("td", {}, score(column[k]))), ...(own(chunk.errors, slug) ? [make("td", {}, String(count(scores[n].errors[k], -1)))] : []));
    });
    const heads = ["parser", "score", ...(scores[0].sides.length ? ["precision", "recall"] : []), ...(own(chunk.errors, about.parsers[0].slug) ? ["differing triples"] : [])];
    opened = k;
    shown.replaceChildren(make("h2", {}, nameOf(all, k)), ...(all.sentences[k] ? [make("p", { class: "sentence" }, all.sentences[k])] : []),
      make("p", { class: "note" }, `Pair ${k}${all.sizes[k] < 0 ? "" : `, ${all.sizes[k]} node${all.sizes[k] === 1 ? "" : "s"} in the gold graph`}.`),
      ...(about.parsers.length > 1 ? [make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Scores of this sentence" },
        make("table", { class: "numbers scores" }, tables.heads(heads), make("tbody", {}, ...rows)))] : []),
      ...chosenNow.flatMap((slug) => parse(slug, k, chunk, scores[about.parsers.findIndex((parser) => parser.slug === slug)])));
    shown.dataset.milliseconds = (performance.now() - began).toFixed(1);
    for (const link of list.querySelectorAll("a")) {
      if (link.hash === `#${addressOf(k)}`) {
        link.setAttribute("aria-current", "true");
        list.scrollTop += Math.min(0, link.getBoundingClientRect().top - list.getBoundingClientRect().top)
          + Math.max(0, link.getBoundingClientRect().bottom - list.getBoundingClientRect().bottom);
      } else link.removeAttribute("aria-current");
    }
  }

  /* The address was changed, by a link or by hand. */
  async function follow(moved) {
    const [number, ...values] = bamboo.partsOf(location.hash.slice(1));
    const fields = [form.a, form.b, form.kind, form.aspect];
    const before = fields.map((field) => field.value).join("\n");
    fields.forEach((field, n) => {
      const value = values[n] ?? "";
      if ([...field.options].some((option) => option.value === value)) field.value = value;
    });
    if (!moved && !location.hash && about.parsers.length > 1) form.b.value = about.parsers[1].slug;
    if (!moved || before !== fields.map((field) => field.value).join("\n")) {
      if (!moved && location.hash && form.b.value) form.order.value = "gap";
      if (!moved && form.kind.value) form.order.value = "errors";
      await search();
      const at = matches.findIndex(({ k }) => String(k) === number);
      if (at >= PAGE) {
        page = Math.floor(at / PAGE);
        show(await load("sentences"));
      }
    }
    const all = await load("sentences");
    if (number && /^\d+$/.test(number) && Number(number) < all.ids.length) {
      await open(Number(number));
      if (moved && matchMedia("(max-width: 900px)").matches) shown.scrollIntoView();
    } else if (number) {
      shown.replaceChildren(make("p", { class: "note" }, `There is no pair ${number}. Choose a sentence from the list.`));
    } else if (matches.length) await open(matches[0].k);
  }

  let pause;
  const changed = (event) => {
    clearTimeout(pause);
    pause = setTimeout(async () => {
      await search();
      if (event.target.name !== "search" && event.target.name !== "order" && opened !== null) {
        history.replaceState(null, "", `#${addressOf(opened)}`);
        await open(opened);
      }
    }, event.target.name === "search" ? 150 : 0);
  };
  for (const kind of ["input", "change"]) document.getElementById("filters").addEventListener(kind, changed);
  document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
  for (const [id, step] of [["before", -1], ["after", 1]]) {
    document.getElementById(id).addEventListener("click", async () => {
      page += step;
      show(await load("sentences"));
      list.querySelector("a").focus();
    });
  }
  addEventListener("hashchange", () => follow(true));
  follow(false);
});
