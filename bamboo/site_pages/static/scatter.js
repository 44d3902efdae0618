/* Score against rating, a dot a pair; the nearest pair opens on a click. */
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const panels = document.getElementById("scatter");
  const choice = document.getElementById("scatter-partition");
  const metric = panels.dataset.metric;
  const edge = { left: 40, right: 12, top: 10, bottom: 28 };

  async function draw(figure) {
    const canvas = figure.querySelector("canvas");
    const caption = figure.querySelector("figcaption");
    const name = `${figure.dataset.set}-${choice.value}`;
    let cell;
    try {
      cell = await bamboo.load(`cells/${name}`);
    } catch {
      figure.hidden = true;
      return;
    }
    if (name !== `${figure.dataset.set}-${choice.value}`) return;
    figure.hidden = false;
    const scores = cell.scores[metric];
    const known = scores.filter((v) => v !== null);
    const low = Math.min(0, ...known), high = Math.max(...known, low + 1);
    const width = canvas.clientWidth || 360, height = 300, ratio = devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const style = getComputedStyle(document.documentElement);
    const colour = (key) => style.getPropertyValue(key).trim();
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.clearRect(0, 0, width, height);
    const x = (v) => edge.left + ((width - edge.left - edge.right) * (v - low)) / (high - low);
    const y = (v) => height - edge.bottom - ((height - edge.top - edge.bottom) * v) / 10000;
    pen.font = "12px system-ui, sans-serif";
    pen.fillStyle = colour("--muted");
    pen.strokeStyle = colour("--line");
    for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
      pen.beginPath();
      pen.moveTo(edge.left, y(tick * 1e4));
      pen.lineTo(width - edge.right, y(tick * 1e4));
      pen.stroke();
      pen.textAlign = "right";
      pen.fillText(tick.toFixed(2), edge.left - 6, y(tick * 1e4) + 4);
      const at = low + tick * (high - low);
      pen.textAlign = tick === 0 ? "left" : tick === 1 ? "right" : "center";
      pen.fillText((at / 1e4).toFixed(2), x(at), height - 8);
    }
    pen.fillStyle = colour("--mark");
    pen.globalAlpha = known.length > 2000 ? 0.25 : 0.4;
    const dots = [];
    const binary = cell.ratings.every((rating) => rating === 0 || rating === 10000);
    scores.forEach((v, k) => {
      if (v === null) return;
      /* Where all ratings are 0 or 1 the dots are spread, so that they can be seen. */
      const inward = cell.ratings[k] ? -1 : 1;
      const jitter = binary ? inward * ((k * 7919) % 2000) : 0;
      const dot = [x(v), y(cell.ratings[k] + jitter), k];
      dots.push(dot);
      pen.beginPath();
      pen.arc(dot[0], dot[1], 2.4, 0, 7);
      pen.fill();
    });
    pen.globalAlpha = 1;
    caption.textContent = `${figure.dataset.title}, ${known.length.toLocaleString("en")} pairs`;
    const nearest = (event) => {
      const box = canvas.getBoundingClientRect();
      const [a, b] = [event.clientX - box.left, event.clientY - box.top];
      let best = null, distance = 15 ** 2;
      for (const dot of dots) {
        const d = (dot[0] - a) ** 2 + (dot[1] - b) ** 2;
        if (d < distance) [best, distance] = [dot[2], d];
      }
      return best;
    };
    canvas.onmousemove = (event) => {
      const k = nearest(event);
      canvas.style.cursor = k === null ? "default" : "pointer";
      canvas.title = k === null ? "" : `pair ${cell.numbers[k]}: score ${bamboo.score(scores[k])}, rating ${bamboo.score(cell.ratings[k])}`;
    };
    canvas.onclick = (event) => {
      const k = nearest(event);
      if (k === null) return;
      location.href = `${bamboo.root}pairs.html#${bamboo.address(figure.dataset.set, choice.value, cell.numbers[k], metric)}`;
    };
  }

  const figures = [...panels.querySelectorAll("figure")];
  for (const figure of figures) figure.dataset.title = figure.querySelector("figcaption").textContent;
  const seen = new Set();
  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((e) => e.isIntersecting)) {
      if (seen.has(entry.target)) continue;
      seen.add(entry.target);
      draw(entry.target);
    }
  }, { rootMargin: "200px" });
  for (const figure of figures) watch.observe(figure);
  const redraw = () => figures.filter((f) => seen.has(f)).forEach(draw);
  choice.addEventListener("change", () => figures.forEach((f) => { seen.add(f); draw(f); }));
  document.addEventListener("colours", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
});
