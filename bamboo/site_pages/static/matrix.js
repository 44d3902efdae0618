/* The significance matrix of one column of the leaderboard. */
"use strict";

document.addEventListener("DOMContentLoaded", async () => {
  const { make } = bamboo;
  const all = await bamboo.load("significance");
  const protocol = document.getElementById("matrix-protocol");
  const choice = document.getElementById("matrix-column");
  const table = document.getElementById("matrix");
  const status = document.getElementById("matrix-status");
  const neighbours = document.getElementById("neighbours");

  function columns() {
    const kept = choice.value;
    const columns = all.protocols[protocol.value].columns;
    choice.replaceChildren(...columns.map((c) => make("option", { value: c.name }, c.label)));
    const last = columns[columns.length - 1].name;
    choice.value = columns.some((c) => c.name === kept) ? kept : last;
  }

  function describe(a, b, cell) {
    const check = cell.check === null ? "" : `, check ${cell.check}`;
    return `${a} minus ${b}: ${cell.difference}, 95 % ${cell.low} to ${cell.high}; ` +
      `p ${cell.p}, corrected ${cell.adjusted}${check}`;
  }

  function show() {
    const { metrics, columns } = all.protocols[protocol.value];
    const column = columns.find((c) => c.name === choice.value);
    const order = column.order;
    const at = (i, j) => column.cells[i][j];
    const head = make("tr", {}, make("th", { scope: "col", class: "first" }, "less"),
      ...order.map((j) => make("th", { scope: "col", class: "turn" }, make("span", {}, metrics[j]))));
    const rows = order.map((i) => {
      const name = make("th", { scope: "row" }, metrics[i], " ", make("span", { class: "muted" }, column.values[i]));
      const cells = order.map((j) => {
        if (i === j) return make("td", { class: "self" }, "·");
        const cell = at(i, j);
        if (cell === null) return make("td", { class: "none" }, "–");
        const kind = !cell.real ? "open" : cell.difference.startsWith("-") ? "worse" : "better";
        const button = make("button", { type: "button" }, cell.difference,
          make("span", { class: "unseen" }, cell.real ? " significant" : " not significant"));
        button.addEventListener("click", () => { status.textContent = describe(metrics[i], metrics[j], cell); });
        return make("td", { class: kind }, button);
      });
      return make("tr", {}, name, ...cells);
    });
    table.replaceChildren(make("caption", { class: "unseen" }, `Differences, ${column.label}`),
      make("thead", {}, head), make("tbody", {}, ...rows));
    status.textContent = `${column.label}: ${column.pairs} pairs, ${order.length} metrics.`;
    const body = order.slice(1).map((j, k) => {
      const cell = at(order[k], j);
      return make("tr", {}, make("th", { scope: "row" }, `${metrics[order[k]]} – ${metrics[j]}`),
        ...(cell === null ? [make("td", { colspan: 5 }, "–")] : [
          make("td", {}, cell.difference), make("td", {}, `${cell.low} .. ${cell.high}`),
          make("td", {}, cell.p), make("td", {}, cell.adjusted),
          make("td", { class: "text" }, cell.real ? "significant" : "not significant")]));
    });
    const heads = ["metrics", "difference", "95 %", "p", "p, corrected", "verdict"];
    neighbours.replaceChildren(
      make("thead", {}, make("tr", {}, ...heads.map((h, k) => make("th", k ? { scope: "col" } : { scope: "col", class: "first" }, h)))),
      make("tbody", {}, ...body));
  }

  protocol.addEventListener("change", () => { columns(); show(); });
  choice.addEventListener("change", show);
  columns();
  show();
});
