// The interactive sector map. Its counts come from sector_rule.js, the model's own rule compiled for the page; this script asks for
// them and draws the sectors that the lanes touch.
"use strict";

(() => {
  const { WARP, lanesFrom, loadRule, bytesAtOnce, plural, element, begin } = conflictFree.parts;
  const SECTOR = 32;

  /**
   * Returns the sectors that an access {size, address: one for each lane} moves, the fewest that its distinct bytes could fill, and
   * the cycles that the L1 takes for a load of lines that it holds.
   * Null if an address is not a multiple of the size. The rule's numbers have the order of struct Question in
   * common/model/src/rules/explorer/sector_rule.cpp.
   */
  function sectorsOf(rule, { size, address }) {
    const active = address.length === WARP ? -1 : 2 ** address.length - 1;
    const question = [size, active, ...address];
    new Int32Array(rule.memory.buffer, rule.question(), question.length).set(question);
    const answer = rule.answer();
    const [isAligned, sectors, ideal, l1] = new Int32Array(rule.memory.buffer, answer, 4);
    return isAligned ? { sectors, ideal, l1 } : null;
  }

  /** The access that a choice of the controls stands for: to the elements, or to the first part of each. */
  function accessTo({ stride, bytes, offset, lanes }) {
    return { size: bytesAtOnce(bytes), address: lanesFrom(0, lanes).map((lane) => offset + lane * stride * bytes) };
  }

  /** By sector, in ascending order, the lanes that ask for each place in it: [[sector, [[byte of the sector, lanes], …]], …]. */
  function touched({ address }) {
    const found = new Map();
    address.forEach((byte, lane) => {
      const sector = Math.floor(byte / SECTOR);
      if (!found.has(sector)) found.set(sector, new Map());
      const places = found.get(sector);
      places.set(byte % SECTOR, [...(places.get(byte % SECTOR) ?? []), lane]);
    });
    return [...found].sort(([a], [b]) => a - b).map(([sector, places]) => [sector, [...places].sort(([a], [b]) => a - b)]);
  }

  const BYTE = 5.25;
  const HEIGHT = 22;

  /** A sector as a box: the bytes that lanes ask for are filled, with the lane or how many there are. */
  function drawn(places, size) {
    const svg = element("svg", { viewBox: `-1 -1 ${SECTOR * BYTE + 2} ${HEIGHT + 2}`, "aria-hidden": "true" });
    svg.append(element("rect", { class: "moved", x: 0, y: 0, width: SECTOR * BYTE, height: HEIGHT }));
    for (const [byte] of places)
      svg.append(element("rect", { class: "asked", x: byte * BYTE, y: 0, width: size * BYTE, height: HEIGHT }));
    const edges = lanesFrom(1, SECTOR / 4 - 1).map((word) => word * 4 * BYTE);
    svg.append(element("path", { class: "word", d: edges.map((x) => `M${x} 0v${HEIGHT}`).join("") }));
    for (const [byte, lanes] of size >= 4 ? places : []) {
      const place = { class: "lane", x: (byte + size / 2) * BYTE, y: HEIGHT / 2 + 4 };
      svg.append(element("text", place, lanes.length === 1 ? lanes[0] : `×${lanes.length}`));
    }
    return svg;
  }

  class SectorExplorer {
    constructor(figure, rule) {
      this.figure = figure;
      this.rule = rule;
      this.find = (selector) => figure.querySelector(selector);
      begin(figure, () => this.choose());
    }

    /** Reads the controls, asks the rule, and shows its answer. */
    choose() {
      const choice = {};
      for (const control of this.figure.querySelectorAll("[data-control]")) choice[control.dataset.control] = Number(control.value);
      const access = accessTo(choice);
      const found = sectorsOf(this.rule, access);
      const count = this.find(".count");
      count.classList.toggle("excess", !found || found.sectors > found.ideal);
      if (found) {
        Object.assign(this.figure.dataset, found);
        count.textContent =
          plural(found.sectors, "sector") + (found.sectors > found.ideal ? `, ideal: ${found.ideal}` : ", the ideal");
      } else {
        delete this.figure.dataset.sectors;
        delete this.figure.dataset.ideal;
        delete this.figure.dataset.l1;
        count.textContent = `A GPU stops here: an address is not a multiple of ${access.size} bytes.`;
      }
      this.find(".all").textContent = this.moved(choice, access, found);
      this.find(".memory").textContent = this.parts(choice, access);
      this.find(".stage").setAttribute("aria-label", `${count.textContent}. ${this.find(".all").textContent}`);
      this.find(".stage").replaceChildren(...(found ? touched(access).map(([sector, places]) => this.box(sector, places, access.size)) : []));
    }

    /** The bytes that move and those that lanes ask for. */
    moved({ stride, bytes }, access, found) {
      const apart = `Neighboring lanes are ${plural(stride * bytes, "byte")} apart.`;
      if (!found) return apart;
      const asked = new Set(access.address).size * access.size;
      const moved = `${apart} ${plural(found.sectors * SECTOR, "byte")} move, and ${asked.toLocaleString("en")} of them are asked for.`;
      return access.address.length === WARP ? `${moved} The L1 takes at least ${plural(found.l1, "cycle")} for them.` : moved;
    }

    parts({ bytes }, access) {
      const count = bytes / access.size;
      return count > 1 ? `No instruction accesses ${bytes} bytes: this is the first of ${count} accesses of ${access.size} bytes.` : "";
    }

    box(sector, places, size) {
      const box = document.createElement("div");
      const label = document.createElement("p");
      label.className = "axis";
      label.textContent = `byte ${(sector * SECTOR).toLocaleString("en")}`;
      box.append(label, drawn(places, size));
      return box;
    }
  }

  let rule;
  try {
    rule = loadRule("sector_rule");
  } catch {
    return; // The still picture stays.
  }
  for (const figure of document.querySelectorAll("figure.sector-explorer")) new SectorExplorer(figure, rule);
  Object.assign(conflictFree, { sectorsOf: (access) => sectorsOf(rule, access), accessTo });
})();
