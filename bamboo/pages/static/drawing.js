/* Two graphs side by side with their alignment. With the marks of a metric it is the twin of
   bamboo/explanation/drawing.py; the report on parsers colours lines and links by mistakes. */
"use strict";

/* The flat numbers of a data file as lines and re-entrant edges; the number of a line is `id`. */
bamboo.outline = ([lines, again], words) => {
  const rows = [];
  for (let k = 0; k < lines.length; k += 3) {
    const [parent, role, text] = lines.slice(k, k + 3);
    rows.push({
      id: rows.length, parent, depth: parent < 0 ? 0 : rows[parent].depth + 1,
      role: words[role], text: words[text < 0 ? ~text : text], isNode: text >= 0,
    });
  }
  const edges = [];
  for (let k = 0; k < again.length; k += 3) {
    edges.push({ source: again[k], target: again[k + 1], role: words[again[k + 2]] });
  }
  return { rows, edges };
};

/* Links as [line, line, weight, cost]. */
bamboo.linksOf = (flat) => {
  const links = [];
  for (let k = 0; k < flat.length; k += 4) links.push(flat.slice(k, k + 4));
  return links;
};

bamboo.draw = (() => {
  const LINE = 26, INDENT = 22, CHARACTER = 7.85, WIDE = 13, EDGE = 84, COLOURS = 6;
  const IS_WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60]/u;

  function svg(tag, attributes, ...children) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  const text = (row) => (row.role ? `${row.role} ${row.text}` : row.text);
  const measure = (row) => [...text(row)].reduce((sum, letter) => sum + (IS_WIDE.test(letter) ? WIDE : CHARACTER), 0);
  const end = (row) => row.depth * INDENT + measure(row);
  const middle = (line) => 12 + line * LINE + LINE / 2;

  /* The class of what a metric counts: matched, unmatched, or neither (it is not counted). */
  const kind = (mark) => ["", " unmatched", " matched"][Number(mark) || 0];

  /* marks: for each line the mark of its concept and of its role, then one for each edge. */
  function graph({ rows, edges }, x, width, outer, linked, marks, tint) {
    const parts = [];
    rows.forEach((row, k) => {
      const at = x + row.depth * INDENT, y = middle(k);
      const [concept, role] = [kind(marks[2 * k]), kind(marks[2 * k + 1])];
      const tinted = tint?.(row);
      if (tinted) {
        parts.push(svg("rect", { class: tinted, x: at - 4, y: y - LINE / 2 + 2, width: measure(row) + 8, height: LINE - 4, rx: 3 }));
      }
      if (row.parent >= 0) {
        parts.push(svg("path", { class: `tree${role}`, d: `M${at - INDENT + 6} ${middle(row.parent) + 7}V${y}H${at - 4}` }));
      } else if (role) {
        parts.push(svg("path", { class: `root${role}`, d: `M${at - 14} ${y - 5}l8 5l-8 5z` },
          svg("title", {}, `The root is${role}.`)));
      }
      const words = svg("text", { x: at, y: y + 4, class: linked.has(k) || marks || tint ? "" : "alone" });
      if (row.role) words.append(svg("tspan", { class: `role${role}` }, row.role), " ");
      words.append(svg("tspan", { class: `concept${concept || (row.role && marks[2 * k + 1] === "1" ? role : "")}` }, row.text));
      parts.push(words);
    });
    const edge = outer < 0 ? x - 12 : x + width + 8;
    edges.forEach(({ source, target, role }, k) => {
      const y = middle(source), z = middle(target), bend = edge + outer * (22 + 14 * (k % 4));
      const start = (line) => (outer < 0 ? x + rows[line].depth * INDENT - 6
        : x + end(rows[line]) + 6);
      const mark = kind(marks[2 * rows.length + k]);
      parts.push(
        svg("path", { class: `again${mark}`, d: `M${start(source)} ${y}C${bend} ${y} ${bend} ${z} ${start(target)} ${z}` }),
        svg("text", { class: `role${mark}`, x: (bend + edge) / 2, y: (y + z) / 2 + 4, "text-anchor": outer < 0 ? "end" : "start" }, role));
    });
    return parts;
  }

  /* The drawing, and the links as [line, line, weight, cost].
     style.marks: what the metric matches in each graph; style.tints: for each graph the class of a
     line's ground; style.link: the class of a link. */
  function draw(sides, flat, { marks = ["", ""], tints = [], link: classOf = (_, k) => `hue-${k % COLOURS}` }) {
    const gap = innerWidth < 700 ? 90 : 170;
    const links = bamboo.linksOf(flat);
    const widths = sides.map(({ rows }) => Math.max(80, ...rows.map(end)));
    const left = sides[0].edges.length ? EDGE : 26, right = left + widths[0] + gap;
    const width = right + widths[1] + (sides[1].edges.length ? EDGE : 20);
    const height = 24 + LINE * Math.max(...sides.map(({ rows }) => rows.length));
    const heaviest = Math.max(...links.map((link) => link[2])) || 1;
    const linked = [0, 1].map((side) => new Set(links.map((link) => link[side])));
    const parts = [
      ...graph(sides[0], left, widths[0], -1, linked[0], marks[0], tints[0]),
      ...graph(sides[1], right, widths[1], 1, linked[1], marks[1], tints[1]),
      ...links.map(([a, b, weight, cost], k) => {
        const [one, other] = [sides[0].rows[a], sides[1].rows[b]];
        const x = left + end(one) + 8;
        const root = other.parent < 0 && kind(marks[1][2 * b + 1]);
        const z = right + other.depth * INDENT - (root ? 17 : 6);
        const half = (x + z) / 2;
        return svg("path", {
          class: `link ${classOf(other, k)}`, "stroke-width": (0.8 + (3.2 * weight) / heaviest).toFixed(2),
          d: `M${x} ${middle(a)}C${half} ${middle(a)} ${half} ${middle(b)} ${z} ${middle(b)}`,
        }, svg("title", {}, `${one.text} – ${other.text}: weight ${weight}, cost ${cost}`));
      }),
    ];
    const picture = svg("svg", {
      class: "alignment", viewBox: `0 0 ${width.toFixed(0)} ${height}`, width: width.toFixed(0), height,
      role: "img", "aria-label": `Both graphs, ${links.length} links between their nodes; the table below lists them`,
    }, ...parts);
    return { picture, links, sides };
  }

  return draw;
})();
