/* The explanation of a pair as tables: its alignment, its matched triples, its contributions. */
"use strict";

bamboo.tables = (() => {
  const { make, score } = bamboo;
  const EFFECTS = 12;

  const heads = (names) => make("thead", {}, make("tr", {},
    ...names.map((h, n) => make("th", n ? { scope: "col" } : { scope: "col", class: "first" }, h))));

  /* The links between the lines of two graphs, as drawn. */
  function links(drawn, sides, names = ["src", "tgt"]) {
    const rows = drawn.map(([a, b, weight, cost]) => make("tr", {},
      make("td", { class: "text" }, sides[0].rows[a].text), make("td", { class: "text" }, sides[1].rows[b].text),
      make("td", {}, String(weight)), make("td", {}, String(cost))));
    return make("details", {}, make("summary", {}, "The alignment as a table"), make("table", { class: "numbers" },
      make("thead", {}, make("tr", {}, ...[...names, "weight", "cost"].map((h, n) => make("th", { scope: "col", class: n < 2 ? "first" : "" }, h)))),
      make("tbody", {}, ...rows)));
  }

  /* How many triples of each kind match, and precision, recall and F1 that follow.
     flat: matches, triples of both graphs and weight of each kind, one after the other;
     scores: precision, recall and F1, if the metric has them. */
  function counts(kinds, flat, scores, metric, names = ["src", "tgt"]) {
    const rows = kinds.map((kind, n) => [kind, ...flat.slice(4 * n, 4 * n + 4)]).filter(([, , src, tgt]) => src || tgt);
    const total = [1, 2, 3, 4].map((column) => rows.reduce((sum, row) => sum + row[column], 0));
    const weighted = rows.some(([, matched, , , weight]) => matched !== weight);
    const sum = Number(total[3].toPrecision(6));
    const line = ([kind, matched, src, tgt, weight], attributes = {}) => make("tr", attributes,
      make("th", { scope: "row" }, kind), make("td", {}, String(matched)),
      ...(weighted ? [make("td", {}, String(Number(weight.toPrecision(6))))] : []), make("td", {}, String(src)), make("td", {}, String(tgt)));
    const table = make("table", { class: "numbers" }, heads(["triples", "matched", ...(weighted ? ["weight"] : []), ...names]),
      make("tbody", {}, ...rows.map((row) => line(row)), line(["all", ...total.slice(0, 3), sum], { class: "sum" })));
    const tallies = make("div", { class: "tallies" }, table);
    const parts = [make("h3", {}, "Matched triples"), tallies];
    if (scores) {
      const [precision, recall, f1] = scores;
      const share = (value, whole) => Math.abs(sum / whole - value / 1e4) < 1e-4;
      const exact = share(precision, total[1]) && share(recall, total[2]);
      const lines = exact
        ? [["precision", `${sum} / ${total[1]}`, precision], ["recall", `${sum} / ${total[2]}`, recall], ["F1", `2 · ${sum} / (${total[1]} + ${total[2]})`, f1]]
        : [["precision", "", precision], ["recall", "", recall], ["F1", "", f1]];
      tallies.append(make("table", { class: "numbers" }, make("tbody", {}, ...lines.map(([name, sumOf, value]) =>
        make("tr", {}, make("th", { scope: "row" }, name), make("td", { class: "text" }, sumOf ? `${sumOf} =` : ""), make("td", {}, score(value)))))));
      if (!exact) parts.push(make("p", { class: "note" }, `${metric} weights the triples of both graphs, so that the counts alone do not give the score.`));
    }
    return make("section", { class: "why", "aria-label": "Matched triples" }, ...parts);
  }

  /* What each feature adds to the score, the largest first. */
  function effects(features, [values, effects], shown) {
    const signed = (units) => `${units < 0 ? "−" : "+"}${score(Math.abs(units))}`;
    const order = features.map((name, n) => ({ name, value: values[n], effect: effects[n] }))
      .sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect) || (a.name < b.name ? -1 : 1));
    const largest = Math.max(1, ...order.map(({ effect }) => Math.abs(effect)));
    const line = (name, value, effect, attributes = {}) => {
      const bar = make("span", { class: "effect", "aria-hidden": "true" }, make("span", { class: effect < 0 ? "down" : "up" }));
      bar.firstChild.style.inlineSize = `${Math.min(50, (50 * Math.abs(effect)) / largest).toFixed(1)}%`;
      return make("tr", attributes, make("th", { scope: "row" }, name), make("td", {}, value), make("td", {}, signed(effect)), make("td", {}, bar));
    };
    const each = ({ name, value, effect }) => line(name, score(value), effect);
    const rest = order.slice(EFFECTS);
    const total = (some) => some.reduce((sum, { effect }) => sum + effect, 0);
    const body = make("tbody", {}, ...order.slice(0, EFFECTS).map(each));
    if (rest.length) {
      const others = line("", "", total(rest));
      const more = make("button", { type: "button", class: "quiet" }, `${rest.length} further features`);
      more.addEventListener("click", () => others.replaceWith(...rest.map(each)));
      others.cells[0].append(more);
      body.append(others);
    }
    const sum = total(order), raw = 1e4 + sum;
    const limited = Math.abs(raw - shown) > 1 ? `, limited to ${score(shown)}` : "";
    body.append(make("tr", { class: "sum" }, make("th", { scope: "row" }, "sum"), make("td", {}), make("td", {}, signed(sum)), make("td", {})));
    return make("section", { class: "why", "aria-label": "Contributions of the features" }, make("h3", {}, "Contributions to the score"),
      make("p", { class: "note" }, `Identical graphs score 1: 1 ${sum < 0 ? "−" : "+"} ${score(Math.abs(sum))} = ${score(raw)}${limited}.`),
      make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Contributions" },
        make("table", { class: "numbers effects" }, heads(["feature", "difference", "adds", ""]), body)));
  }

  return { heads, links, counts, effects };
})();
