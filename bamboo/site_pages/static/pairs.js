/* The pairs of the benchmark in the explorer. The address names what is shown:
   #data/partition/number/metric. */
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const { make, load, score, tables, own } = bamboo;
  const about = JSON.parse(document.getElementById("about").textContent);
  const shown = document.getElementById("pair");
  const PAGE = 40;
  const NONE = "(no sentence)";
  const cells = new Map();
  let page = 0, opened = null, searched = bamboo.searched("");
  const names = Object.fromEntries(about.metrics.map(({ slug, title }) => [slug, title]));

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

  /* The cells of the chosen data sets and partitions. */
  const places = (fields) => Object.keys(about.places).filter((place) => [fields.set, fields.partition]
    .every(({ value }, n) => value === "all" || value === about.places[place][n]));

  async function find(fields) {
    document.getElementById("gap-note").textContent = gapNote();
    const loaded = await Promise.all(places(fields).map(cell));
    searched = bamboo.searched(fields.search.value);
    const [from, to] = [fields.from, fields.to].map((field) => Math.round(1e4 * Number(field.value)));
    const metric = fields.metric.value;
    const matches = loaded.flatMap((data) => {
      const gap = gaps(data, metric, fields.against.value);
      return data.numbers.map((number, k) => ({ data, k, number, gap: gap[k], score: data.scores[metric][k], rating: data.ratings[k] }));
    }).filter(({ data, k, number, rating }) => rating >= from && rating <= to &&
      (String(number) === fields.search.value.trim() || searched.isIn(data.sentences[k].join(" ").toLowerCase())));
    const keys = {
      gap: (pair) => Math.abs(pair.gap), high: (pair) => pair.gap, low: (pair) => -pair.gap,
      score: (pair) => pair.score, rating: (pair) => pair.rating,
    };
    page = 0;
    return fields.order.value === "number" ? matches : bamboo.ordered(matches, keys[fields.order.value]);
  }

  const explorer = bamboo.explorer({
    find,
    range: () => [page * PAGE, (page + 1) * PAGE],
    status(items) {
      const pages = Math.max(1, Math.ceil(items.length / PAGE));
      document.getElementById("page").textContent = `${page + 1} of ${pages}`;
      document.getElementById("before").disabled = page === 0;
      document.getElementById("after").disabled = page + 1 >= pages;
      return [places(form).length ? `${items.length.toLocaleString("en")} pair${items.length === 1 ? "" : "s"}.`
        : "The data set does not have this partition."];
    },
    link({ data, k, number, gap, score: value, rating }) {
      const link = make("a", { href: `#${addressOf(data, k, form.metric.value)}` },
        make("span", { class: "where" }, `${about.titles[data.set]} ${about.titles[data.partition]} ${number}`),
        ...data.sentences[k].map((sentence) => make("span", { class: "say" }, ...searched.marked(sentence || NONE))),
        make("span", { class: "small" }, "score ", make("b", {}, score(value)), " · rating ",
          make("b", {}, score(rating)), " · gap ", make("b", {}, percent(gap))));
      if (opened && opened.data === data && opened.k === k) link.setAttribute("aria-current", "true");
      return link;
    },
    async changed(event) {
      if (!await explorer.search()) return;
      explorer.show();
      if (event.target.name === "metric" && opened) location.hash = addressOf(opened.data, opened.k, form.metric.value);
    },
    step(by) {
      const at = explorer.items.findIndex(({ data, k }) => opened && opened.data === data && opened.k === k);
      const next = explorer.items[at + by];
      if (next) location.hash = addressOf(next.data, next.k, form.metric.value);
    },
  });
  const { form } = explorer;

  function percent(gap) {
    if (Number.isNaN(gap)) return "–";
    const whole = Math.round(100 * gap);
    return `${whole > 0 && form.against.value !== "spread" ? "+" : ""}${whole} %`;
  }

  function scoresTable(data, k, metric) {
    const rows = about.metrics.map(({ slug, title, complete: all }) => {
      const aligned = data.aligned.includes(slug);
      const button = make("button", { type: "button", class: "quiet", "aria-pressed": slug === metric }, title);
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
  function why(data, pair, k, metric) {
    const sides = own(data.sides, metric)?.map((column) => column[k]);
    const value = data.scores[metric][k];
    return [
      ...(pair.counts ? [tables.counts(pair.kinds, pair.counts, sides && [...sides, value], names[metric])] : []),
      ...(pair.effects ? [tables.effects(pair.features, pair.effects, value)] : []),
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
    const pair = bamboo.pairOf(chunk, metric, within);
    if (pair.graphs === null) {
      parts.push(make("p", { class: "note" }, "A graph of this pair could not be read."));
    } else {
      const isAligned = data.aligned.includes(metric);
      const drawn = bamboo.draw(pair.graphs.map((graph) => bamboo.outline(graph, chunk.words)), pair.links, { marks: pair.marks });
      const note = make("p", { class: "note" }, isAligned ? `Alignment of ${names[metric]}; wider links have more weight. `
        : `${names[metric]} has no alignment; choose another metric to see one.`);
      if (pair.marks) note.append(make("span", { class: "swatch" }, "Orange, dashed or in italics"), ": not matched. ▸ is the root. ");
      if (String(pair.numbers) !== String(chunk.pairs[""][within])) note.append(`The graphs are in the form in which ${names[metric]} compares them.`);
      const picture = make("div", { class: "scroll picture", role: "region", tabindex: "0", "aria-label": "Both graphs" }, drawn.picture);
      parts.push(note, make("div", { class: "beside" }, make("div", { class: "picture-box" }, picture), ...why(data, pair, k, metric)));
      if (isAligned) parts.push(tables.links(drawn.links, drawn.sides));
    }
    opened = { data, k };
    shown.replaceChildren(...head, ...parts, scoresTable(data, k, metric));
    shown.dataset.milliseconds = (performance.now() - began).toFixed(1);
    explorer.mark((link) => link.hash.startsWith(`#${bamboo.address(set, partition, number)}/`));
  }

  /* Show the first pair of the list, without changing the address. */
  async function openFirst() {
    if (!explorer.items.length) return;
    const { data, number } = explorer.items[0];
    await open(data.set, data.partition, String(number), form.metric.value);
  }

  /* The address was changed, by a link or by hand. */
  async function follow(moved) {
    const address = location.hash.slice(1);
    const [set, partition, number, metric] = bamboo.partsOf(address);
    if (!Object.values(about.places).some(([s, p]) => s === set && p === partition)) {
      if (!moved && await explorer.search()) explorer.show();
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
      if (!await explorer.search()) return;
      const at = explorer.items.findIndex((pair) => pair.data.set === set && pair.data.partition === partition &&
        pair.number === Number(number));
      page = Math.max(0, Math.floor(at / PAGE));
      explorer.show();
    }
    if (!number && metric) await openFirst();
    if (number) {
      await open(set, partition, number, slug);
      if (moved && matchMedia("(max-width: 900px)").matches) shown.scrollIntoView();
    }
  }

  for (const [id, step] of [["before", -1], ["after", 1]]) {
    document.getElementById(id).addEventListener("click", () => {
      page += step;
      explorer.show();
      document.querySelector("#list a").focus();
    });
  }
  addEventListener("hashchange", () => follow(true));
  if (location.hash) follow(false);
  else {
    explorer.search().then((done) => {
      if (!done) return;
      explorer.show();
      openFirst();
    });
  }
});
