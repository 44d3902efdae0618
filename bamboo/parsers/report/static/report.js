/* Buttons that copy a text or save a figure; the measure and the parsers of the page of errors. */
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const stored = document.getElementById("exports");
  const exported = stored ? JSON.parse(stored.textContent) : {};

  function copy(text) {
    if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
    const area = bamboo.make("textarea", { class: "unseen" }); // a page from disk has no clipboard
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    return Promise.resolve();
  }

  function save(name, text) {
    const link = bamboo.make("a", { href: URL.createObjectURL(new Blob([text], { type: "image/svg+xml" })), download: name });
    link.click();
    URL.revokeObjectURL(link.href);
    return Promise.resolve();
  }

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button[data-copy], button[data-save], button[data-text]");
    if (!button || button.classList.contains("done")) return;
    const { copy: key, save: figure, text } = button.dataset;
    if (figure) await save(`${figure}.svg`, exported[`${figure}-svg`]);
    else await copy(key ? exported[key] : text);
    const before = button.textContent;
    button.textContent = figure ? "Saved" : "Copied";
    button.classList.add("done");
    setTimeout(() => {
      button.textContent = before;
      button.classList.remove("done");
    }, 1400);
  });

  /* Of many parsers two are shown; the heading of a group goes with its first row that is shown. */
  const selects = document.querySelectorAll("select[name=first], select[name=second]");
  function choose() {
    const chosen = [...selects].map(({ value }) => value);
    for (const group of document.querySelectorAll(".errors tbody")) {
      for (const row of group.rows) row.hidden = chosen.length > 0 && !chosen.includes("") && !chosen.includes(row.dataset.parser);
      const shown = [...group.rows].filter((row) => !row.hidden);
      const heading = group.querySelector("th");
      heading.rowSpan = shown.length;
      shown[0].prepend(heading);
    }
  }
  for (const select of selects) select.addEventListener("change", choose);
  if (selects.length) choose();

  for (const input of document.querySelectorAll("input[name=measure]")) {
    input.addEventListener("change", () => { document.querySelector(".errors").dataset.measure = input.value; });
  }
});
