/* The pair explorer: filter, order, and open pairs. The address names what is shown:
   #data/partition/number/metric. */
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const { make, load, score, tables } = bamboo;
  const about = JSON.parse(document.getElementById("about").textContent);
  const form = document.getElementById("filters").elements;
  const list = document.getElementById("list");
  const status = document.getElementById("status");
  const shown = document.getElementById("pair");
  const PAGE = 40;
  const NONE = "(no sentence)";
  const cells = new Map();
  let matches = [], page = 0, turn = 0, opened = null;
  const names = Object.fromEntries(about.metrics.map(({ slug, name }) => [slug, name]));
  /* A value by its key; undefined for keys such as "constructor" that all objects have. */
  const own = (object, key) => (Object.hasOwn(object, key) ? object[key] : undefined);

  const addressOf = (data, k, metric) => bamboo.address(data.set, data.partition, data.numbers[k], metric);
  const complete = about.metrics.filter((metric) => metric.complete).map((metric) => metric.slug);

  /* Ranks as a share of the pairs from 0 (lowest) to 1, ties in their middle; among those pairs
     that have a rank in `others` too. NaN elsewhere. A rank of 0 is none. */
  function shares(ranks, others) {
    const used = ranks.map((rank, k) => (others[k] ? rank : 0));
    const count = new Int32Array(ranks.length + 2);
    for (const rank of used) count[rank] += 1;
    const total = ranks.length - count[0];
    const above = new Int32Array(count.length);
    for (let rank = 2; rank < count.length; rank += 1) above[rank] = above[rank - 1] + count[rank - 1];
    return Float64Array.from(used, (r) => (r ? 1 - (above[r] + count[r] / 2) / total : NaN));
  }

  async function cell(place) {
    if (!cells.has(place)) {
      cells.set(place, (async () => {
        const data = await load(`cells/${place}`);
        const sentences = await load(data.text);
        const order = data.ratings.map((rating, k) => [rating, k]).sort((a, b) => b[0] - a[0]);
        const ranks = new Int32Array(order.length);
        order.forEach(([rating, k], i) => {
          ranks[k] = i && order[i - 1][0] === rating ? ranks[order[i - 1][1]] : i + 1;
        });
        const [set, partition] = about.places[place];
        return { ...data, place, set, partition, sentences, kept: new Map(), ratingRanks: ranks };
      })());
    }
    return cells.get(place);
  }

  /* The shares of one column among the pairs that a second one has ranks for as well. */
  function share(data, slug, other) {
    const key = `${slug} ${other}`;
    const ranks = (name) => (name === "rating" ? data.ratingRanks : data.ranks[name]);
    if (!data.kept.has(key)) data.kept.set(key, shares(ranks(slug), ranks(other)));
    return data.kept.get(key);
  }

  /* For each pair: how far the metric's rank is above that of what it is compared with. */
  function gaps(data, metric, against) {
    if (against !== "spread") {
      const [mine, other] = [share(data, metric, against), share(data, against, metric)];
      return mine.map((v, k) => v - other[k]);
    }
    /* A metric with missing pairs has no part in the spread of the others. */
    const all = complete.map((slug) => share(data, slug, slug));
    if (!all.length) return data.numbers.map(() => NaN);
    return data.numbers.map((_, k) => {
      let low = Infinity, high = -Infinity;
      for (const column of all) {
        low = Math.min(low, column[k]);
        high = Math.max(high, column[k]);
      }
      return high - low;
    });
  }

  /* What the gap of a pair is, in words. */
  function gapNote() {
    const metric = names[form.metric.value];
    const against = form.against.value;
    return against === "spread"
      ? "gap: the highest minus the lowest of all metrics' ranks of the pair, in percent of the pairs."
      : `gap: the pair's rank by ${metric} minus its rank by ${against === "rating" ? "human rating" : names[against]}, in percent of the pairs; with + the metric ranks it as more similar.`;
  }

  async function search() {
    const mine = ++turn;
    document.getElementById("gap-note").textContent = gapNote();
    const places = Object.entries(about.places).filter(([, [set, partition]]) =>
      (form.set.value === "all" || set === form.set.value) &&
      (form.partition.value === "all" || partition === form.partition.value)).map(([place]) => place);
    if (!places.length) {
      status.textContent = "The data set does not have this partition.";
      list.replaceChildren();
      return;
    }
    let loaded;
    try {
      loaded = await Promise.all(places.map(cell));
    } catch (error) {
      status.textContent = `${error.message}. Is the site's folder complete?`;
      return;
    }
    if (mine !== turn) return;
    const words = form.search.value.trim().toLowerCase();
    const [from, to] = [form.from, form.to].map((field) => Math.round(1e4 * Number(field.value)));
    const metric = form.metric.value;
    matches = [];
    for (const data of loaded) {
      const gap = gaps(data, metric, form.against.value);
      data.numbers.forEach((number, k) => {
        const rating = data.ratings[k];
        if (rating < from || rating > to) return;
        if (words && String(number) !== words &&
          !`${data.sentences[k][0]} ${data.sentences[k][1]}`.toLowerCase().includes(words)) return;
        matches.push({ data, k, gap: gap[k], score: data.scores[metric][k], rating });
      });
    }
    const last = (v) => (Number.isNaN(v) || v === null ? -Infinity : v);
    const keys = {
      number: null, gap: (p) => last(Math.abs(p.gap)), high: (p) => last(p.gap), low: (p) => last(-p.gap),
      score: (p) => last(p.score), rating: (p) => p.rating,
    };
    const key = keys[form.order.value];
    if (key) matches.sort((a, b) => key(b) - key(a));
    page = 0;
    show();
  }

  function percent(gap) {
    if (Number.isNaN(gap)) return "–";
    const whole = Math.round(100 * gap);
    return `${whole > 0 && form.against.value !== "spread" ? "+" : ""}${whole} %`;
  }

  function show() {
    const pages = Math.max(1, Math.ceil(matches.length / PAGE));
    status.textContent = `${matches.length.toLocaleString("en")} pair${matches.length === 1 ? "" : "s"}.`;
    document.getElementById("page").textContent = `${page + 1} of ${pages}`;
    document.getElementById("before").disabled = page === 0;
    document.getElementById("after").disabled = page + 1 >= pages;
    list.replaceChildren(...matches.slice(page * PAGE, (page + 1) * PAGE).map((pair) => {
      const { data, k } = pair;
      const address = `#${addressOf(data, k, form.metric.value)}`;
      const link = make("a", { href: address },
        make("span", { class: "where" }, `${about.titles[data.set]} ${about.titles[data.partition]} ${data.numbers[k]}`),
        ...data.sentences[k].map((sentence) => make("span", { class: "say" }, sentence || NONE)),
        make("span", { class: "small" }, "score ", make("b", {}, score(pair.score)), " · rating ",
          make("b", {}, score(pair.rating)), " · gap ", make("b", {}, percent(pair.gap))));
      if (opened && opened.data === data && opened.k === k) link.setAttribute("aria-current", "true");
      return make("li", {}, link);
    }));
  }

  function scoresTable(data, k, metric) {
    const rows = about.metrics.map(({ slug, name, complete: all }) => {
      const aligned = data.aligned.includes(slug);
      const button = make("button", { type: "button", class: "quiet", "aria-pressed": slug === metric }, name);
      button.addEventListener("click", () => {
        location.hash = addressOf(data, k, slug);
      });
      const percentile = share(data, slug, slug)[k];
      const gap = Math.round(100 * (share(data, slug, "rating")[k] - share(data, "rating", slug)[k]));
      const rank = data.ranks[slug][k];
      const total = data.ranks[slug].filter((r) => r).length;
      const among = all ? "" : ` of ${total.toLocaleString("en")}`;
      const bar = make("span", { class: "meter", "aria-hidden": "true" }, make("span", {}));
      bar.firstChild.style.inlineSize = `${Math.round(100 * (percentile || 0))}%`;
      return make("tr", slug === metric ? { class: "chosen" } : {}, make("th", { scope: "row" }, button),
        make("td", {}, score(data.scores[slug][k])), make("td", {}, rank ? `${rank}${among}` : "–"),
        make("td", {}, bar), make("td", {}, Number.isNaN(gap) ? "–" : `${gap > 0 ? "+" : ""}${gap} %`),
        make("td", { class: "text" }, aligned ? "drawn" : "–"));
    });
    const rating = make("tr", { class: "people" }, make("th", { scope: "row" }, "human rating"),
      make("td", {}, score(data.ratings[k])), make("td", {}, String(data.ratingRanks[k])), make("td", {}), make("td", {}), make("td", {}));
    const columns = ["metric", "score", `rank of ${data.numbers.length.toLocaleString("en")}`, "higher than", "against rating", "alignment"];
    return make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Scores of this pair" },
      make("table", { class: "numbers scores" },
        tables.heads(columns), make("tbody", {}, rating, ...rows)));
  }

  /* The matched triples of a pair, and the contributions of its features. */
  function why(data, chunk, k, metric) {
    const within = k % data.chunk;
    const counts = own(chunk.counts, metric)?.[within];
    const effects = own(chunk.effects, metric)?.[within];
    const sides = own(data.sides, metric)?.map((column) => column[k]);
    const shown = data.scores[metric][k];
    return [
      ...(counts ? [tables.counts(data.kinds[metric], counts, sides && [...sides, shown], names[metric])] : []),
      ...(effects ? [tables.effects(data.features[metric], effects, shown)] : []),
    ];
  }

  async function open(set, partition, number, metric) {
    const began = performance.now();
    const place = Object.keys(about.places).find((p) => about.places[p][0] === set && about.places[p][1] === partition);
    const data = await cell(place);
    const k = data.numbers.indexOf(Number(number));
    if (k < 0) {
      shown.replaceChildren(make("p", { class: "note" }, `There is no pair ${number}.`));
      return;
    }
    const chunk = await load(`graphs/${place}-${Math.floor(k / data.chunk)}`);
    const within = k % data.chunk;
    const head = [
      make("h2", {}, `${about.titles[set]} ${about.titles[partition]}, pair ${number}`),
      ...["src", "tgt"].map((side, s) => make("p", { class: "sentence" },
        make("span", { class: "side" }, side), data.sentences[k][s] || NONE)),
    ];
    const origin = own(data.origins, number);
    if (origin) {
      const [from, altered] = origin;
      head.push(make("p", { class: "note" }, `The sentences are those of pair ${from} of ${about.titles.main || "Main"}, of which this is a copy${altered ? ` with other roles in ${altered}` : ""}.`));
    }
    const parts = [];
    if (chunk.graphs[within] === null) {
      parts.push(make("p", { class: "note" }, "A graph of this pair could not be read."));
    } else {
      const links = own(chunk.links, metric);
      const form = own(chunk.forms, metric)?.[within];
      const marks = own(chunk.marks, metric)?.[within];
      const drawn = bamboo.draw(form || chunk.graphs[within], chunk.words, links ? links[within] : [], marks);
      const note = make("p", { class: "note" }, links ? `Alignment of ${names[metric]}; wider links have more weight. `
        : `${names[metric]} has no alignment; choose another metric to see one.`);
      if (marks) note.append(make("span", { class: "swatch" }, "Orange, dashed or in italics"), ": not matched. ▸ is the root. ");
      if (form) note.append(`The graphs are in the form in which ${names[metric]} compares them.`);
      const picture = make("div", { class: "scroll picture", role: "region", tabindex: "0", "aria-label": "Both graphs" }, drawn.picture);
      parts.push(note, make("div", { class: "beside" }, make("div", { class: "picture-box" }, picture), ...why(data, chunk, k, metric)));
      if (links) parts.push(tables.links(drawn.links, drawn.sides));
    }
    opened = { data, k };
    shown.replaceChildren(...head, ...parts, scoresTable(data, k, metric));
    shown.dataset.milliseconds = (performance.now() - began).toFixed(1);
    for (const link of list.querySelectorAll("a")) {
      const here = link.hash.startsWith(`#${bamboo.address(set, partition, number)}/`);
      if (here) {
        link.setAttribute("aria-current", "true");
        const [item, box] = [link.getBoundingClientRect(), list.getBoundingClientRect()];
        if (item.top < box.top) list.scrollTop -= box.top - item.top;
        if (item.bottom > box.bottom) list.scrollTop += item.bottom - box.bottom;
      } else link.removeAttribute("aria-current");
    }
  }

  /* Show the first pair of the list, without changing the address. */
  async function openFirst() {
    if (!matches.length) return;
    const { data, k } = matches[0];
    await open(data.set, data.partition, String(data.numbers[k]), form.metric.value);
  }

  /* The address was changed, by a link or by hand. */
  async function follow(moved) {
    const address = location.hash.slice(1);
    const [set, partition, number, metric] = bamboo.partsOf(address);
    if (!Object.values(about.places).some(([s, p]) => s === set && p === partition)) {
      if (!moved) await search();
      shown.replaceChildren(make("p", { class: "note" },
        `There is no pair at the address #${address}. Choose a pair from the list.`));
      return;
    }
    const named = about.metrics.find(({ slug, name }) => slug === metric || name === metric);
    if (metric && !named) {
      shown.replaceChildren(make("p", { class: "note" },
        `There is no metric ${metric} on this site. Choose one from the list.`));
      return;
    }
    const slug = named ? named.slug : form.metric.value;
    const covered = [[form.set, set], [form.partition, partition]].every(([field, value]) => field.value === "all" || field.value === value);
    const changed = form.metric.value !== slug;
    form.metric.value = slug;
    if (!covered) {
      form.set.value = set;
      form.partition.value = partition;
    }
    if (!covered || changed || !moved) {
      await search();
      const at = matches.findIndex(({ data, k }) => data.set === set && data.partition === partition &&
        data.numbers[k] === Number(number));
      page = Math.max(0, Math.floor(at / PAGE));
      show();
    }
    if (!number && metric) await openFirst();
    if (number) {
      await open(set, partition, number, slug);
      if (moved && matchMedia("(max-width: 900px)").matches) shown.scrollIntoView();
    }
  }

  let pause;
  const changed = (event) => {
    clearTimeout(pause);
    pause = setTimeout(async () => {
      await search();
      if (event.target.name === "metric" && opened) {
        location.hash = addressOf(opened.data, opened.k, form.metric.value);
      }
    }, event.target.name === "search" ? 150 : 0);
  };
  for (const kind of ["input", "change"]) document.getElementById("filters").addEventListener(kind, changed);
  document.getElementById("filters").addEventListener("submit", (event) => event.preventDefault());
  for (const [id, step] of [["before", -1], ["after", 1]]) {
    document.getElementById(id).addEventListener("click", () => {
      page += step;
      show();
      list.querySelector("a").focus();
    });
  }
  addEventListener("hashchange", () => follow(true));
  if (location.hash) follow(false);
  else search().then(openFirst);
});
