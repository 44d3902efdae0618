/* The sentences of a report in the explorer: the gold graph once, and beside it what differs in each
   parse. The address names what is shown, without what is the default:
   #q=&order=&a=&b=&kind=&aspect=&size=&bucket=&pair=&s=&view=&fold=. */
"use strict";

document.addEventListener("DOMContentLoaded", async () => {
  const { make, load, own, tables } = bamboo;
  const about = JSON.parse(document.getElementById("about").textContent);
  const pane = document.getElementById("pair");
  const SHOWN = 60, LONG = 60, SPARSE = 0.4; // items listed; lines and share of a graph that is folded
  const MISSING = 0, WRONG = 1, TOGETHER = 2; // signs of marks
  const { system, graph, reference, mistake } = about.words; // what the page calls these
  const SIGNS = ["missing", "wrong", "extra"], TEXTS = { missing: "−", wrong: "≠", extra: "+" };
  const parsers = new Map(about.parsers.map((parser) => [parser.slug, parser]));
  const defaults = {
    q: "", order: about.order, a: about.ranked[0], b: about.ranked[1] ?? "", kind: "",
    aspect: "", size: "", bucket: "", pair: "", s: "", view: about.views[0], fold: "",
  };
  const state = { ...defaults };
  let all, byParser, aspects = null, mistakes = null, confusions = null, lowered = null, searched = bamboo.searched("");

  const name = (slug) => parsers.get(slug).name;
  const percent = (units) => (units === null || units === undefined ? "–" : (units / 100).toFixed(1));
  const signed = (value, digits = 1) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}`;
  const score = (slug, k) => (aspects ? aspects[slug] : byParser.get(slug).scores)[k];
  const cost = (slug, k) => byParser.get(slug).cost[k];
  const idOf = (k) => (all.ids ? all.ids[k] ?? `pair ${k}` : all.names[k]);
  const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
  const titleOf = (k) => all.sentences[k] || all.concepts[k].split(" ").slice(0, 3).join(", ");
  const count = (k) => {
    const flat = mistakes[k], at = flat.findIndex((value, n) => n % 2 === 0 && about.kinds[value] === state.kind);
    return at < 0 ? 0 : flat[at + 1];
  };
  const kindText = (kind) => document.querySelector(`[name=kind] option[value="${kind}"]`)?.textContent ?? kind;

  /* The address, with some changes. */
  function address(changes = {}) {
    const values = Object.entries({ ...state, ...changes }).filter(([key, value]) => value !== defaults[key] && value !== "");
    return `#${new URLSearchParams(values)}`;
  }
  function read() {
    const given = new URLSearchParams(location.hash.slice(1));
    for (const key of Object.keys(state)) state[key] = given.get(key) ?? defaults[key];
    for (const key of ["a", "b"]) if (!parsers.has(state[key])) state[key] = defaults[key];
    for (const key of ["order", "kind", "aspect"]) {
      if (![...explorer.form[key].options].some(({ value }) => value === state[key])) state[key] = defaults[key];
    }
    if (!about.views.includes(state.view)) state.view = defaults.view;
    fill();
  }
  /* A and B are different parsers. */
  function fill() {
    if (state.b && state.a === state.b) state.b = about.ranked.find((slug) => slug !== state.a);
    for (const key of ["q", "order", "a", "b", "kind", "aspect"]) explorer.form[key].value = state[key];
  }

  const keys = {
    cost: (k) => about.ranked.reduce((sum, slug) => sum + cost(slug, k), 0),
    gap: (k) => (score(state.a, k) === null || score(state.b, k) === null ? null
      : about.costs && !aspects ? cost(state.b, k) - cost(state.a, k) : score(state.a, k) - score(state.b, k)),
    agreement: (k) => (all.agreement[k] === null ? null : -all.agreement[k]),
    low: (k) => (score(state.a, k) === null ? null : -score(state.a, k)),
    short: (k) => (all.gold[k] < 10 ? null : -byParser.get(state.a).triples[k] / all.gold[k]),
    size: (k) => all.sizes[k],
    agree: (k) => all.agree[k],
  };

  async function find() {
    aspects = state.aspect ? await load(`aspects/${about.aspects.indexOf(state.aspect)}`) : null;
    mistakes = state.kind ? await load(`mistakes/${state.a}`) : null;
    confusions = state.pair ? await load("confusions") : null;
    searched = bamboo.searched(state.q);
    if (!searched.isEmpty && !lowered) {
      lowered = all.names.map((_, k) => `${all.sentences[k]} ${idOf(k)} ${all.concepts[k]}`.toLowerCase());
    }
    const [low, high = low] = state.size.split("–").map(Number);
    const confused = confusions ? new Set(own(confusions, state.pair) ?? []) : null;
    const hits = all.names.map((_, k) => k).filter((k) => (searched.isEmpty || searched.isIn(lowered[k]))
      && (!aspects || about.parsers.some(({ slug }) => aspects[slug][k] !== null))
      && (!mistakes || count(k)) && (!confused || confused.has(k))
      && (!state.size || (all.sizes[k] >= low && all.sizes[k] <= high))
      && (!state.bucket || all.buckets[k] === state.bucket)
      && (state.order !== "agree" || all.agree[k]));
    const found = state.order === "number" ? hits : bamboo.ordered(hits, keys[state.order]);
    const exact = found.findIndex((k) => idOf(k).toLowerCase() === state.q.trim().toLowerCase());
    if (exact > 0) found.unshift(...found.splice(exact, 1));
    return found;
  }
  const chosen = () => all.names.indexOf(state.s);

  const explorer = bamboo.explorer({
    find,
    range(items) {
      const first = Math.max(0, Math.min(items.indexOf(chosen()) - 20, items.length - SHOWN));
      return [first, first + SHOWN];
    },
    status(items) {
      const total = counted(all.names.length, "sentence");
      const texts = [items.length === all.names.length ? total : `${items.length.toLocaleString("en")} of ${total}`];
      if (mistakes) texts.push(counted(items.reduce((sum, k) => sum + count(k), 0), mistake));
      if (state.size) texts.push(`${state.size} nodes`);
      if (state.bucket) texts.push(state.bucket);
      if (state.pair) texts.push(state.pair.replace(">", " → "));
      const isFiltered = state.q || state.kind || state.size || state.bucket || state.pair || state.aspect || state.order === "agree";
      return [texts.join(", "), ...(isFiltered ? [" · ", clear()] : [])];
    },
    link(k) {
      const dots = make("span", { class: "mini" });
      for (const { slug, hue } of about.parsers) {
        const value = score(slug, k);
        if (value === null) continue;
        const dot = make("span", { class: `pt ${hue}`, title: `${name(slug)} ${percent(value)}` });
        dot.style.left = `${(2 + (96 * Math.min(1e4, Math.max(0, value))) / 1e4).toFixed(1)}%`;
        dots.append(dot);
      }
      const facts = [idOf(k), ...(all.sizes[k] < 0 ? [] : [counted(all.sizes[k], "node")])];
      if (state.order === "gap" && state.b && keys.gap(k) !== null) facts.push(`${signed((score(state.a, k) - score(state.b, k)) / 100)}`);
      if (mistakes) facts.push(`${count(k)} ×`);
      if (all.agree[k]) facts.push(`gold? ${all.agree[k]}`);
      const link = make("a", { href: address({ s: all.names[k] }) },
        make("span", { class: "say" }, ...searched.marked(titleOf(k))), dots, make("span", { class: "where" }, facts.join(" · ")));
      if (k === chosen()) link.setAttribute("aria-current", "true");
      return link;
    },
    changed() {
      for (const key of ["q", "order", "a", "b", "kind", "aspect"]) state[key] = explorer.form[key].value;
      update();
    },
    step(by) {
      const next = explorer.items[explorer.items.indexOf(chosen()) + by];
      if (next !== undefined) update({ s: all.names[next] });
    },
    keys: {
      f: () => update({ fold: isFolded ? "0" : "1" }),
      ...Object.fromEntries(about.views.map((view, n) => [n + 1, () => update({ view })])),
    },
  });

  /* Show what is named by the state with some changes, in place of what is shown now. */
  async function update(changes = {}) {
    Object.assign(state, changes);
    fill();
    if (!await explorer.search()) return;
    if (!explorer.items.includes(chosen())) state.s = explorer.items.length ? all.names[explorer.items[0]] : "";
    history.replaceState(null, "", address());
    explorer.show();
    await open();
  }
  async function follow() {
    read();
    const isUnknown = state.s && !all.names.includes(state.s);
    const text = `There is no sentence ${state.s}.`;
    await update();
    if (isUnknown) document.getElementById("status").append(make("strong", {}, ` ${text}`));
  }

  function button(text, act, attributes = {}) {
    const made = make("button", { type: "button", ...attributes }, text);
    made.addEventListener("click", act);
    return made;
  }
  const clear = () => button("show all", () => update({ q: "", kind: "", size: "", bucket: "", pair: "", aspect: "", order: state.order === "agree" ? defaults.order : state.order }), { class: "plain" });

  /* --- one sentence --- */

  let isFolded = false;

  /* The parsers of a view: A, B and then the ranking; on a phone A alone. */
  function columns() {
    const width = innerWidth < 620 ? 1 : innerWidth < 1000 ? 2 : 3;
    return [...new Set([state.a, state.b, ...about.ranked])].filter(Boolean).slice(0, width);
  }

  async function open() {
    const k = chosen();
    if (k < 0) {
      const why = [state.q && `with “${state.q}”`, state.kind && `with “${kindText(state.kind)}” of ${name(state.a)}`,
        state.size && `with ${state.size} nodes`, state.bucket && `in “${state.bucket}”`, state.pair && `with ${state.pair.replace(">", " → ")}`,
        state.order === "agree" && "where all parsers agree and gold differs"].filter(Boolean);
      pane.replaceChildren(make("div", { class: "empty" }, make("p", {}, `There is no sentence ${why.join(" and ")}.`), clear()));
      return;
    }
    const began = performance.now();
    const chunk = await load(`graphs/${Math.floor(k / about.chunk)}`);
    if (k !== chosen()) return;
    const at = explorer.items.indexOf(k), within = k % about.chunk;
    const pairs = new Map(about.parsers.map(({ slug }) => [slug, decoded(chunk, slug, within)]));
    const step = (by, text) => button(text, () => explorer.step(by), { disabled: "" });
    const steps = [step(-1, "← k"), step(1, "j →")];
    steps.forEach((one, n) => { one.disabled = explorer.items[at + 2 * n - 1] === undefined; });
    const views = { side: "Side by side", drawing: "Drawing", penman: "Penman" };
    const tabs = about.views.map((view, n) => button(views[view], () => update({ view }),
      { title: `key ${n + 1}`, "aria-pressed": String(state.view === view) }));
    const sentence = all.sentences[k] ? [make("p", { class: "sentence" }, ...searched.marked(all.sentences[k]))] : [];
    const gold = [...pairs.values()].find((pair) => pair.gold)?.gold;
    pane.replaceChildren(
      make("div", { class: "bar-top" }, make("h2", {}, ...searched.marked(idOf(k))),
        make("div", { class: "tools" }, steps[0], `${(at + 1).toLocaleString("en")} of ${explorer.items.length.toLocaleString("en")}`, steps[1],
          make("button", { type: "button", "data-text": location.href }, "Copy link"), ...(tabs.length > 1 ? tabs : []))),
      ...sentence,
      ...(gold ? { side, drawing, penman }[state.view](k, gold, pairs) : [make("p", { class: "note" }, "No graph of this sentence could be read.")]),
      ...(gold ? more(k, pairs.get(state.a)) : []));
    pane.dataset.milliseconds = (performance.now() - began).toFixed(1);
  }

  /* A parser's graph, the gold graph, and what differs between them, by line. */
  function decoded(chunk, slug, within) {
    const pair = bamboo.pairOf(chunk, slug, within);
    if (!pair.graphs) return pair;
    const [parse, gold] = pair.graphs.map((graph) => inlined(bamboo.outline(graph, chunk.words)));
    const flat = own(chunk.differences, slug)?.[within];
    const grouped = (values) => {
      const lines = new Map();
      for (let n = 0; n < (values?.length ?? 0); n += 4) {
        const [line, value, kind, text] = values.slice(n, n + 4);
        lines.set(line, [...(lines.get(line) ?? []), { value, kind: about.kinds[kind], text: chunk.words[text] }]);
      }
      return lines;
    };
    const flags = own(chunk.flags[slug], within) ?? [[], []];
    const asRead = bamboo.pairOf(chunk, `${slug} read`, within);
    const read = pair.numbers.map((number, side) => (asRead.graphs && asRead.numbers[side] !== number
      ? inlined(bamboo.outline(asRead.graphs[side], chunk.words)) : null));
    return { ...pair, parse, gold, flags, read, differs: flat ? { marks: grouped(flat.marks), own: grouped(flat.own), extra: new Set(flat.extra) } : null };
  }

  /* An outline with each re-entrant edge as a line of its own, below the constants of its node. */
  function inlined({ rows, edges }) {
    const shown = [], place = new Map();
    let waiting = [];
    const add = (row) => { place.set(row.id, shown.length); shown.push(row); };
    const flush = () => { waiting.forEach(add); waiting = []; };
    for (const row of rows) {
      if (row.isNode) flush();
      const [node, concept] = row.isNode ? row.text.split(/ \/ (.*)/s) : [null, row.text];
      add({ ...row, node, text: concept });
      if (row.isNode) {
        edges.forEach(({ source, target, role }, n) => {
          if (source !== row.id) return;
          const [other, text] = rows[target].text.split(/ \/ (.*)/s);
          waiting.push({ id: rows.length + n, parent: row.id, depth: row.depth + 1, role, text: `${text} ↩`, node: other, isAgain: true });
        });
      }
    }
    flush();
    return { rows: shown.map((row) => ({ ...row, parent: row.parent < 0 ? -1 : place.get(row.parent) })), edges: [], place };
  }

  const sign = (kind) => kind.slice(kind.lastIndexOf("-") + 1);
  const glyph = (which) => make("span", { class: `g g-${which}` }, TEXTS[which]);

  /* What is flagged in a line of a graph; the flags of the gold graph and of some parsers as notes. */
  function flag(flags, id) {
    const texts = flags.filter(([line]) => line === id).map(([, text]) => text);
    return texts.length ? [" ", make("span", { class: "doubt", title: texts.join("; ") }, "⚑")] : [];
  }
  const flagsOfGold = (pairs) => [...pairs.values()].find(({ flags }) => flags)?.flags[1] ?? [];
  function flagNotes(pairs, slugs) {
    const named = slugs.map((slug) => [name(slug), pairs.get(slug).flags?.[0] ?? []]);
    return [["gold", flagsOfGold(pairs)], ...named].filter(([, flags]) => flags.length).map(([who, flags]) => make("p", { class: "note" },
      make("span", { class: "doubt" }, "⚑"), ` ${who}: ${flags.map(([, text]) => text).join("; ")}`));
  }

  function head(slug, k, pair) {
    const { sides, scores } = byParser.get(slug);
    const counts = { missing: 0, wrong: 0, extra: 0 };
    for (const mark of [...(pair.differs?.marks.values() ?? [])].flat()) if (mark.value !== TOGETHER) counts[SIGNS[mark.value]] += 1;
    for (const lines of pair.differs?.own.values() ?? []) counts.extra += lines.length;
    const sums = pair.counts && [3, 1, 2].map((column) => pair.counts.reduce((sum, value, n) => sum + (n % 4 === column ? value : 0), 0));
    const title = sums ? `F1 = 2 · ${Number(sums[0].toPrecision(6))} / (${sums[1]} + ${sums[2]})` : "";
    const kinds = SIGNS.filter((which) => counts[which]).map((which) => make("span", { class: "tally", title: which }, glyph(which), String(counts[which])));
    return make("th", { scope: "col" }, make("span", { class: `who ${parsers.get(slug).hue}` }, name(slug)), " ",
      make("span", { class: "value", title }, percent(scores[k])),
      ...(sides.length ? [make("small", {}, `P ${percent(sides[0][k])} · R ${percent(sides[1][k])}`)] : []),
      make("small", {}, ...(kinds.length ? kinds : [pair.graphs ? `no ${mistake}` : "no graph"])));
  }

  function chips(k) {
    if (about.parsers.length < 2) return [];
    return [make("p", { class: "tools chips" }, ...about.ranked.map((slug) => button(`${name(slug)} ${percent(score(slug, k))}`,
      () => update({ a: slug }), { "aria-pressed": String(slug === state.a) })))];
  }

  /* Runs of at least three lines without a mistake are folded. */
  function folded(rows, shown) {
    const differs = rows.map(({ id }, r) => r === 0 || shown.some((pair) => !pair.differs || pair.differs.marks.has(id) || pair.differs.own.has(id)));
    isFolded = state.fold === "1" || (state.fold === "" && rows.length > LONG && differs.filter(Boolean).length < rows.length * SPARSE);
    const hidden = differs.map((value) => isFolded && !value);
    for (let start = 0; start < hidden.length; start += 1) {
      let end = start;
      while (hidden[end]) end += 1;
      if (end - start < 3) hidden.fill(false, start, end);
      start = end;
    }
    return hidden;
  }

  /* What a parser has at a line of the gold graph; `above`: the line above is missing. */
  function cell(pair, id, above) {
    if (!pair.differs) return { cell: make("td", { class: pair.graphs ? "" : "s-missing" }), isMissing: true };
    const marks = pair.differs.marks.get(id);
    if (!marks) return { cell: make("td", { class: "ok" }, "·"), isMissing: false };
    const real = marks.filter(({ value }) => value !== TOGETHER);
    const isMissing = marks.every(({ value, text }) => value !== WRONG && !text);
    const made = make("td", { class: `s-${real.some(({ value }) => value === WRONG) ? "wrong" : "missing"}` });
    if (isMissing && above) made.append(make("span", { class: "unseen" }, "missing"));
    else if (!real.length) made.append(make("span", { class: "with", title: `counted with the ${mistake} that it belongs to` }, "″"));
    else {
      made.append(...real.map(({ value, kind, text }) => make("span", { class: "part", title: kindText(kind) }, glyph(SIGNS[value]),
        value === MISSING ? `${text ? `${text} ` : ""}missing` : text)));
    }
    return { cell: made, isMissing };
  }

  function side(k, gold, pairs) {
    const slugs = columns(), shown = slugs.map((slug) => pairs.get(slug));
    const rows = gold.rows, hidden = folded(rows, shown);
    const body = make("tbody");
    let above = shown.map(() => false), skipped = 0;
    const flush = () => {
      if (skipped) {
        const text = `${counted(skipped, "line")} without a ${mistake} · `;
        body.append(make("tr", { class: "fold" }, make("td", { colspan: slugs.length + 1 }, text, button("show", () => update({ fold: "0" })))));
      }
      skipped = 0;
    };
    rows.forEach((row, r) => {
      if (hidden[r]) { skipped += 1; return; }
      flush();
      const label = [...(row.role ? [make("span", { class: "role" }, row.role), " "] : []), row.text,
        ...flag(flagsOfGold(pairs), row.id)];
      const said = shown.map((pair) => (pair.differs?.marks.get(row.id) ?? []).filter(({ value }) => value === WRONG)
        .map(({ kind, text }) => `${kind} ${text.toLowerCase()}`).join());
      if (about.parsers.length > 1 && said.length > 1 && said[0] && said.every((one) => one === said[0])) {
        label.push(make("span", { class: "doubt", title: `these ${system}s agree with each other and not with ${reference}` }, `${reference}?`));
      }
      const cells = shown.map((pair, c) => cell(pair, row.id, above[c]));
      const isWanted = state.kind && [...(pairs.get(state.a).differs?.marks.get(row.id) ?? []), ...(pairs.get(state.a).differs?.own.get(row.id) ?? [])]
        .some(({ kind }) => kind === state.kind);
      body.append(line(row.depth, label, cells.map((one) => one.cell), isWanted ? "hit" : "", row.isNode ? row.node : ""));
      above = cells.map((one) => one.isMissing);
      const lines = shown.map((pair) => pair.differs?.own.get(row.id) ?? []);
      for (let n = 0; n < Math.max(...lines.map((one) => one.length)); n += 1) {
        body.append(line(row.depth, [], lines.map((one, c) => (one[n]
          ? indented(make("td", { class: "own s-extra", title: kindText(one[n].kind) }, glyph("extra"), one[n].text), one[n].value - 1)
          : make("td", above[c] && shown[c].graphs && rows[r + 1] && (shown[c].differs.marks.get(rows[r + 1].id) ?? []).some(({ value }) => value !== WRONG) ? { class: "s-missing" } : {})))));
      }
    });
    flush();
    const size = [...(all.sizes[k] < 0 ? [] : [counted(all.sizes[k], "node")]), ...(all.gold ? [counted(all.gold[k], "triple")] : [])].join(", ");
    const width = make("colgroup", {}, make("col", { class: `of-${slugs.length}` }), ...slugs.map(() => make("col")));
    const table = make("table", { class: "diff" }, width,
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, reference, make("small", {}, size)), ...slugs.map((slug, c) => head(slug, k, shown[c])))), body);
    const problem = slugs.flatMap((slug) => (byParser.get(slug).problems[k] ? [make("p", { class: "note" }, `${name(slug)}: ${byParser.get(slug).problems[k]}`)] : []));
    const toggle = button(isFolded ? "Show all lines" : "Only lines that differ", () => update({ fold: isFolded ? "0" : "1" }), { class: "copy", title: "key f" });
    const note = make("p", { class: "note" }, glyph("missing"), "missing · ", glyph("wrong"), `what the ${system} has instead · `, glyph("extra"),
      `only in the ${system} · ″ counted with its concept · ↩ a node named before`, ...(about.parsers.length > 1 ? [" · ", make("span", { class: "doubt" }, `${reference}?`), ` all agree, ${reference} differs`] : []), ". ", toggle);
    return [...(innerWidth < 620 ? chips(k) : []), ...problem, table, note, ...flagNotes(pairs, slugs)];
  }

  function line(depth, label, cells, kind = "", title = "") {
    return make("tr", kind ? { class: kind } : {}, indented(make("td", title ? { title } : {}, ...label), depth), ...cells);
  }
  function indented(element, depth) {
    element.style.setProperty("--d", depth);
    return element;
  }

  /* The links between two outlines with re-entrant edges as lines. */
  function links(pair) {
    return pair.links.map((value, n) => (n % 4 < 2 ? [pair.parse, pair.gold][n % 4].place.get(value) : value));
  }

  function drawing(k, gold, pairs) {
    const pair = pairs.get(state.a);
    if (!pair.graphs) return [...chips(k), make("p", { class: "note" }, `${name(state.a)} has no graph of this sentence.`)];
    const { differs } = pair;
    const has = (row, ...values) => differs.marks.get(row.id)?.some(({ value }) => values.includes(value));
    const style = differs ? {
      tints: [(row) => (differs.extra.has(row.id) ? "s-extra" : ""),
        (row) => (has(row, WRONG) ? "s-wrong" : has(row, MISSING, TOGETHER) ? "s-missing" : "")],
      link: (row) => (has(row, WRONG) ? "differs" : "agrees"),
    } : {};
    const drawn = bamboo.draw([pair.parse, pair.gold], links(pair), style);
    const picture = make("div", { class: "scroll picture", role: "region", tabindex: "0", "aria-label": `${name(state.a)} and ${reference}` }, drawn.picture);
    const width = Number(drawn.picture.getAttribute("width")), scale = Math.max(0.78, Math.min(1, (pane.clientWidth - 4) / width));
    for (const key of ["width", "height"]) drawn.picture.setAttribute(key, Number(drawn.picture.getAttribute(key)) * scale);
    const note = differs ? ` Lines join aligned nodes: grey where they agree, ochre where concept, role or place differs. Red: missing from the ${graph}; violet: only in it.` : " Wider links have more weight.";
    const wide = width * scale > pane.clientWidth ? " The drawing is wider than the page: scroll sideways." : "";
    return [...chips(k), picture, make("p", { class: "note" }, `Left: ${name(state.a)}. Right: ${reference}.${note}${wide}`), ...flagNotes(pairs, [state.a])];
  }

  function penman(k, gold, pairs) {
    const write = ({ rows }) => {
      const open = [];
      const texts = rows.map((row, r) => {
        let closed = "";
        while (open.length && open[open.length - 1] >= row.depth) { closed += ")"; open.pop(); }
        const role = row.role ? `${row.role} ` : "", start = r ? `\n${"   ".repeat(row.depth)}` : "";
        if (row.isNode) open.push(row.depth);
        return [`${closed}${start}`, `${role}${row.isNode ? `(${row.node} / ${row.text}` : row.isAgain ? row.node : row.text}`];
      });
      return [...texts, [")".repeat(open.length), ""]];
    };
    /* The graph as it was read, which can be copied, and beside it the form that is compared, if it differs. */
    const one = (title, graph, flags, read) => {
      const texts = write(graph);
      const marked = texts.flatMap(([before, text], r) => {
        const found = graph.rows[r] ? flag(flags, graph.rows[r].id) : [];
        return [before, found.length ? make("mark", { title: found[1].title }, text) : text];
      });
      const section = (heading, text, shown) => make("section", {}, make("h3", {}, heading, " ", make("button", { type: "button", class: "copy", "data-text": text }, "Copy")),
        make("pre", { class: "penman", tabindex: "0" }, ...shown));
      const compared = texts.flat().join("");
      if (!read) return section(title, compared, marked);
      const text = write(read).flat().join("");
      return make("div", { class: "halves whole" }, section(title, text, [text]), section(`${title}, as compared`, compared, marked));
    };
    const shown = columns().filter((slug) => pairs.get(slug).graphs);
    const readGold = [...pairs.values()].map(({ read }) => read?.[1]).find(Boolean);
    return [...(innerWidth < 620 ? chips(k) : []), make("div", { class: "halves" }, one(reference, gold, flagsOfGold(pairs), readGold),
      ...shown.map((slug) => one(`${name(slug)} ${percent(byParser.get(slug).scores[k])}`, pairs.get(slug).parse, pairs.get(slug).flags[0], pairs.get(slug).read[0]))),
    ...flagNotes(pairs, shown)];
  }

  /* The alignment and the matches of the chosen parser as tables. */
  function more(k, pair) {
    const { sides, scores } = byParser.get(state.a);
    const parts = [];
    if (pair.counts) parts.push(tables.counts(pair.kinds, pair.counts, sides.length ? [sides[0][k], sides[1][k], scores[k]] : null, about.metric, [graph, reference]));
    if (pair.effects) parts.push(tables.effects(pair.features, pair.effects, scores[k]));
    if (pair.links.length) parts.push(tables.links(bamboo.linksOf(links(pair)), [pair.parse, pair.gold], [graph, reference]));
    if (!parts.length) return [];
    const details = make("details", {}, make("summary", {}, `How the score of ${name(state.a)} was computed`), ...parts);
    details.open = Boolean(pair.effects);
    return [details];
  }

  /* --- the data --- */

  let parts;
  try {
    const numbers = [...Array(Math.ceil(about.count / about.part)).keys()];
    const [sentences, scores, texts] = await Promise.all([load("sentences"),
      Promise.all(about.parsers.map(({ slug }) => load(`scores/${slug}`))), Promise.all(numbers.map((n) => load(`text/${n}`)))]);
    parts = { sentences, scores, texts };
  } catch (error) {
    document.getElementById("status").textContent = `${error.message}. Is the folder complete?`;
    return;
  }
  all = { ...parts.sentences, sentences: parts.texts.flatMap((part) => part.sentences), concepts: parts.texts.flatMap((part) => part.concepts) };
  byParser = new Map(about.parsers.map(({ slug }, n) => [slug, parts.scores[n]]));
  addEventListener("hashchange", async () => {
    await follow();
    if (innerWidth < 1000) pane.scrollIntoView({ block: "start" });
  });
  for (const width of [619, 999]) matchMedia(`(max-width: ${width}px)`).addEventListener("change", open);
  await follow();
});
