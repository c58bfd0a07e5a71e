// The parts that the explorers share: the model's compiled rules, words and drawing.
"use strict";

(() => {
  const WARP = 32;

  const lanesFrom = (first, count) => Array.from({ length: count }, (_, i) => first + i);

  /** A rule of the model, compiled in NAME.js, ready to be asked. Throws where the browser compiles no WebAssembly. */
  function loadRule(name) {
    const bytes = Uint8Array.from(atob(window.conflictFreeRules[name]), (letter) => letter.charCodeAt(0));
    return new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
  }

  /** The bytes that one instruction accesses of an element: all, or a part where no instruction is as wide. */
  const bytesAtOnce = (size) => [16, 8, 4, 2].find((bytes) => size % bytes === 0) ?? 1;

  const plural = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

  /** Ascending numbers for readers: "0, 4–7". */
  function ranges(numbers) {
    const parts = [];
    for (const number of numbers) {
      const last = parts.at(-1);
      if (last && last[1] === number - 1) last[1] = number;
      else parts.push([number, number]);
    }
    return parts.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(", ");
  }

  const ascending = (numbers) => [...new Set(numbers)].sort((a, b) => a - b);

  function element(name, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function gridPath(x, y, across, down, cell, row) {
    let path = "";
    for (let i = 0; i <= across; ++i) path += `M${x + i * cell} ${y}v${down * row}`;
    for (let i = 0; i <= down; ++i) path += `M${x} ${y + i * row}h${across * cell}`;
    return element("path", { class: "grid", d: path });
  }

  /** Makes the value of a control of a number whole, and brings it into its range unless any number may stand there. */
  function bringIntoRange(control, isFree = false) {
    const number = Math.round(Number(control.value)) || 0;
    control.value = isFree ? number : Math.min(Number(control.max), Math.max(Number(control.min), number));
  }

  /** Shows the explorer of a figure in place of the still picture. It chooses anew whenever one of its controls changes. */
  function begin(figure, choose) {
    for (const control of figure.querySelectorAll("[data-control]"))
      control.addEventListener("change", () => {
        if (control.type === "number") bringIntoRange(control);
        choose();
      });
    figure.querySelector(".fallback").hidden = true;
    figure.querySelector(".live").hidden = false;
    choose();
  }

  window.conflictFree = {
    parts: { WARP, lanesFrom, loadRule, bytesAtOnce, plural, ranges, ascending, element, gridPath, bringIntoRange, begin },
  };
})();
