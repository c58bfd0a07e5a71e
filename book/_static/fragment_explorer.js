// The interactive tile of halves. Its wavefronts come from the model's rule, which bank_explorer.js asks; this script works out the
// addresses of the loads that bring 16 x 16 halves, and draws the rows that are read together first.
"use strict";

(() => {
  if (!window.conflictFree?.sharedSchedule) return; // The still picture stays.
  const { WARP, lanesFrom, plural, element, gridPath, begin } = conflictFree.parts;

  const UNIT = 16;
  const LINE = 128;
  const WORD = 4;

  /** Where a byte of the tile lies: the engine's pattern for rows of `pattern` bytes exchanges units within 128 bytes, 0 none. */
  function placeOf(byte, pattern) {
    const units = pattern / UNIT || 1;
    return byte ^ ((Math.floor(byte / LINE) % units) * UNIT);
  }

  /** The instructions that bring 16 x 16 halves: {size, at(lane): [row, byte of the row]} for each. */
  function instructionsOf(access) {
    if (access === "ldmatrix") return [{ size: UNIT, at: (lane) => [lane % 16, Math.floor(lane / 16) * UNIT] }];
    const blocks = lanesFrom(0, 4).map((i) => [(i % 2) * 8, Math.floor(i / 2) * UNIT]);
    if (access === "pairs")
      return blocks.map(([down, across]) => ({ size: 4, at: (lane) => [down + Math.floor(lane / 4), across + (lane % 4) * 4] }));
    return blocks.flatMap(([down, across]) =>
      [0, 1].map((odd) => ({ size: 2, at: (lane) => [down + (lane % 4) * 2 + odd, across + Math.floor(lane / 4) * 2] })),
    );
  }

  /** The accesses that a choice of the controls stands for. */
  function fragmentAccesses({ access, pattern, stride, step }) {
    return instructionsOf(access).map(({ size, at }) => {
      const rows = lanesFrom(0, WARP).map((lane) => at(lane)[0]);
      const address = lanesFrom(0, WARP).map((lane) => {
        const [row, byte] = at(lane);
        return placeOf(row * step * stride + byte, pattern);
      });
      return { op: "load", size, address, rows };
    });
  }

  const LEFT = 72;
  const CELL = 20;
  const ROW = 22;
  const GAP = 8;

  class FragmentExplorer {
    constructor(figure) {
      this.figure = figure;
      this.machine = JSON.parse(figure.dataset.machine);
      this.find = (selector) => figure.querySelector(selector);
      begin(figure, () => this.choose());
    }

    control(name) {
      return this.find(`[data-control="${name}"]`);
    }

    /** Reads the controls, asks the rule of each instruction, and shows the sums. */
    choose() {
      // A row of halves that fill whole words.
      this.control("stride").value = Math.round(this.control("stride").value / WORD) * WORD;
      const choice = { access: this.control("access").value, pattern: Number(this.control("pattern").value) || 0 };
      for (const name of ["stride", "step"]) choice[name] = Number(this.control(name).value);
      const accesses = fragmentAccesses(choice);
      const [first] = accesses;
      const bad = first.address.findIndex((byte) => byte % first.size);
      const count = this.find(".count");
      if (bad >= 0) {
        delete this.figure.dataset.wavefronts;
        delete this.figure.dataset.ideal;
        count.textContent = `A GPU stops here: row ${first.rows[bad]} begins at byte ${first.address[bad]}, no multiple of ${UNIT}.`;
      } else {
        const found = accesses.map((access) => conflictFree.sharedSchedule(access, this.machine));
        const [wavefronts, ideal] = [
          found.reduce((sum, one) => sum + one.wavefronts.length, 0),
          found.reduce((sum, one) => sum + one.ideal, 0),
        ];
        Object.assign(this.figure.dataset, { wavefronts, ideal });
        count.textContent =
          `${plural(wavefronts, "wavefront")} in ${plural(accesses.length, "instruction")}` +
          (wavefronts > ideal ? `, ideal: ${ideal}` : ", the ideal");
      }
      const { wavefronts, ideal } = this.figure.dataset;
      count.classList.toggle("excess", bad >= 0 || Number(wavefronts) > Number(ideal));
      this.draw(first);
    }

    /** Draws the words that are read together first, in lines of 128 bytes, and says how many rows share a bank. */
    draw({ size, address, rows }) {
      const lanes = size === UNIT ? 8 : WARP;
      const rowOfWord = new Map();
      address.slice(0, lanes).forEach((byte, lane) => {
        for (let word = Math.floor(byte / WORD); word * WORD < byte + size; ++word) rowOfWord.set(word, rows[lane]);
      });
      const banks = this.machine.banks;
      const rowsOfBank = new Map();
      for (const [word] of rowOfWord) rowsOfBank.set(word % banks, (rowsOfBank.get(word % banks) ?? 0) + 1);
      const lines = [...new Set([...rowOfWord.keys()].map((word) => Math.floor(word / banks)))].sort((a, b) => a - b);
      const parts = [element("text", { class: "axis", x: LEFT, y: 21 }, "bank 0")];
      parts.push(element("text", { class: "axis wavefront", x: LEFT + banks * CELL, y: 21 }, `bank ${banks - 1}`));
      // Lines without a row are left out, with a gap in their place.
      const tops = new Map();
      let bottom = 27;
      lines.forEach((line, i) => {
        if (i && line > lines[i - 1] + 1) bottom += GAP;
        tops.set(line, bottom);
        parts.push(element("text", { class: "axis wavefront", x: LEFT - 5, y: bottom + 16 }, line * LINE));
        bottom += ROW;
      });
      const topOf = (word) => tops.get(Math.floor(word / banks));
      for (const [word] of rowOfWord) {
        const place = { x: LEFT + (word % banks) * CELL, y: topOf(word) };
        const excess = rowsOfBank.get(word % banks) > 1 ? " excess" : "";
        parts.push(element("rect", { class: `busy${excess}`, ...place, width: CELL, height: ROW }));
      }
      for (const y of tops.values()) parts.push(gridPath(LEFT, y, banks, 1, CELL, ROW));
      const named = new Set();
      for (const [word, row] of rowOfWord) {
        if (named.has(row)) continue;
        named.add(row);
        const [x, y] = [LEFT + (word % banks) * CELL + CELL / 2, topOf(word) + 16];
        parts.push(element("text", { class: "lane", x, y }, row));
      }
      const svg = this.find(".stage svg");
      svg.setAttribute("viewBox", `-1 -1 ${LEFT + banks * CELL + 2} ${bottom + 2}`);
      svg.replaceChildren(...parts);
      const most = Math.max(...rowsOfBank.values());
      this.find(".all").textContent =
        `The first ${named.size} rows lie in ${rowsOfBank.size} of ${banks} banks, at most ${plural(most, "word")} in one bank.`;
      this.find(".stage").setAttribute("aria-label", `${this.find(".count").textContent}. ${this.find(".all").textContent}`);
    }
  }

  for (const figure of document.querySelectorAll("figure.fragment-explorer")) new FragmentExplorer(figure);
  Object.assign(conflictFree, { fragmentAccesses });
})();
