// The interactive bank map. Its wavefronts come from bank_rule.js, the model's own rule compiled for the page; this script asks for
// them and draws them. A machine that the reader makes up shares words as current machines do, and merges no phases.
"use strict";

(() => {
  const { WARP, lanesFrom, loadRule, bytesAtOnce, plural, ranges, ascending, element, gridPath, bringIntoRange } = conflictFree.parts;

  /** The numbers of a machine that the rule asks for, in its order: struct Question of common/model/src/rules/explorer/bank_rule.cpp. */
  const NUMBERS = ["banks", "bank_width", "request_lanes", "words", "wide", "extra_wavefronts_of_16_bytes"];

  /** The first number of each choice in these: words for any lanes, wide accesses in phases. */
  const SHARES_WORDS = { words: 0, wide: 0, extra_wavefronts_of_16_bytes: 0 };

  function textAt(buffer, address) {
    const bytes = new Uint8Array(buffer, address);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  /**
   * How an access {op, size, address: one for each of the first lanes} is served: its wavefronts, each a list of [lane, word], and the
   * ideal; or why there is no such machine, in one line.
   */
  function sharedSchedule(rule, access, machine) {
    const active = access.address.length === WARP ? -1 : 2 ** access.address.length - 1;
    const numbers = NUMBERS.map((name) => machine[name]);
    const question = [...numbers, Number(access.op === "load"), access.size, active, ...access.address];
    new Int32Array(rule.memory.buffer, rule.question(), question.length).set(question);
    const answer = rule.answer();
    const { buffer } = rule.memory;
    const [what, given, accepted, wavefronts, ideal, count, ...served] = new Int32Array(buffer, answer, 6 + 3 * 16 * WARP);
    if (what) return { impossible: `${textAt(buffer, what)}: got ${given}, accepted: ${textAt(buffer, accepted)}` };
    const lists = Array.from({ length: wavefronts }, () => []);
    for (let i = 0; i < 3 * count; i += 3) lists[served[i]].push([served[i + 1], served[i + 2]]);
    return { wavefronts: lists, ideal };
  }

  /** Row and column of the element that a lane asks for. */
  function elementOf(lane, choice) {
    const { access, columns, rows, padding, stride, first = 0 } = choice;
    if (access === "row") return [first + Math.floor(lane / columns), lane % columns];
    if (access === "column") return [lane % rows, first + Math.floor(lane / rows)];
    const place = access === "stride" ? lane * stride : 0;
    return [Math.floor(place / (columns + padding)), place % (columns + padding)];
  }

  /** How many columns, or rows, the access may begin with. */
  function placesOf({ access, columns, rows, lanes }) {
    if (access === "row") return Math.max(1, rows - Math.ceil(lanes / columns) + 1);
    if (access === "column") return Math.max(1, columns - Math.ceil(lanes / rows) + 1);
    return 1;
  }

  /** The rows of the tile, and as many more as lanes with a stride reach. */
  const rowsOf = (choice) =>
    choice.access === "stride" ? Math.max(choice.rows, 1 + elementOf(choice.lanes - 1, choice)[0]) : choice.rows;

  /** The access that a choice of the controls stands for: to the elements, or to the first part of each. */
  function accessOf(choice) {
    const address = lanesFrom(0, choice.lanes).map((lane) => {
      const [row, column] = elementOf(lane, choice);
      return (row * (choice.columns + choice.padding) + column) * choice.size;
    });
    return { op: choice.access === "row" ? "store" : "load", size: bytesAtOnce(choice.size), address };
  }

  /** The machine that the reader makes up, and the controls that make it. */
  const OWN = "own";
  const OF_MACHINE = ["banks", "bank_width", "request_lanes"];

  const MARGIN = 28;
  const CELL = 24;
  const ROW = 17;

  class Explorer {
    constructor(figure, rule) {
      this.figure = figure;
      this.rule = rule;
      this.machines = JSON.parse(figure.dataset.machines);
      this.find = (selector) => figure.querySelector(selector);
      for (const control of figure.querySelectorAll("[data-control]"))
        control.addEventListener("change", () => this.change(control));
      for (const button of figure.querySelectorAll("button"))
        button.addEventListener("click", () => this.go(button.dataset.step));
      for (const part of [this.find(".stage"), this.find(".steps")])
        part.addEventListener("keydown", (event) => this.press(event));
      this.find(".fallback").hidden = true;
      this.find(".live").hidden = false;
      this.choose();
    }

    press(event) {
      const step = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" }[event.key];
      if (!step || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      event.preventDefault();
      // The theme turns the page on arrow keys.
      event.stopPropagation();
      this.go(step);
    }

    control(name) {
      return this.find(`[data-control="${name}"]`);
    }

    /**
     * Applies a changed control. A number of the tile is clamped to its range, and a number of the machine replaces the machine. Every
     * control except the choice of a column shows the worst column.
     */
    change(control) {
      const isOfMachine = OF_MACHINE.includes(control.dataset.control);
      if (control.type === "number") bringIntoRange(control, isOfMachine);
      if (isOfMachine) this.control("machine").value = OWN;
      this.choose(control.dataset.control === "first");
    }

    /** The machine that is chosen, its numbers shown; or the one that the numbers make. */
    chosenMachine() {
      const known = this.machines[this.choice.machine];
      if (known) {
        for (const name of OF_MACHINE) this.control(name).value = known[name];
        return known;
      }
      const numbers = OF_MACHINE.map((name) => [name, Number(this.control(name).value)]);
      return { ...Object.fromEntries(numbers), ...SHARES_WORDS, block_bytes: Infinity };
    }

    /** Reads the controls, works out the wavefronts and shows those of the worst column, or of the one that is chosen. */
    choose(isChosen = false) {
      this.choice = { machine: this.control("machine").value, access: this.control("access").value };
      for (const name of ["columns", "rows", "padding", "size", "stride", "lanes"]) this.choice[name] = Number(this.control(name).value);
      this.control("stride").parentElement.hidden = this.choice.access !== "stride";
      this.control("first").parentElement.hidden = !["column", "row"].includes(this.choice.access);
      this.machine = this.chosenMachine();
      const all = lanesFrom(0, placesOf(this.choice)).map((first) => {
        const access = accessOf({ ...this.choice, first });
        return sharedSchedule(this.rule, access, this.machine);
      });
      if (all[0].impossible) return this.refuse(all[0].impossible);
      const counts = all.map(({ wavefronts }) => wavefronts.length);
      const worst = counts.indexOf(Math.max(...counts));
      this.choice.first = isChosen ? Math.min(Number(this.control("first").value), counts.length - 1) : worst;
      this.control("first").value = this.choice.first;
      const { wavefronts, ideal } = all[this.choice.first];
      this.sayAll(counts, worst);
      this.wavefronts = wavefronts;
      this.ideal = ideal;
      this.step = null;
      const count = this.find(".count");
      count.textContent =
        plural(wavefronts.length, "wavefront") + (wavefronts.length > ideal ? `, ideal: ${ideal}` : ", the ideal");
      count.classList.toggle("excess", wavefronts.length > ideal);
      this.figure.dataset.wavefronts = wavefronts.length;
      this.figure.dataset.ideal = ideal;
      this.sayMemory();
      this.show();
    }

    /** Says what the access takes in each column or row that it may begin with. */
    sayAll(counts, worst) {
      const [least, most] = [Math.min(...counts), Math.max(...counts)];
      const mean = counts.reduce((sum, count) => sum + count) / counts.length;
      const what = this.choice.access;
      this.figure.dataset.worst = most;
      this.figure.dataset.mean = mean;
      this.find(".all").textContent =
        counts.length === 1
          ? ""
          : least === most
            ? `The same for each of ${counts.length} ${what}s.`
            : `Shown: ${what} ${this.choice.first}${this.choice.first === worst ? ", the worst" : ""}. ` +
              `All ${counts.length} ${what}s: ${least} to ${most}, ${mean.toLocaleString("en", { maximumFractionDigits: 2 })} on average.`;
    }

    /** Says why there is no such machine, and shows no wavefronts. */
    refuse(line) {
      this.wavefronts = [];
      const count = this.find(".count");
      count.textContent = `There is no such machine: ${line}.`;
      count.classList.add("excess");
      delete this.figure.dataset.wavefronts;
      delete this.figure.dataset.ideal;
      delete this.figure.dataset.worst;
      delete this.figure.dataset.mean;
      for (const part of [".memory", ".step", ".all"]) this.find(part).textContent = "";
      this.find(".stage").setAttribute("aria-label", count.textContent);
      for (const svg of this.figure.querySelectorAll(".live svg")) svg.replaceChildren();
      for (const button of this.figure.querySelectorAll("button")) button.disabled = true;
    }

    sayMemory() {
      const { columns, padding, size, machine } = this.choice;
      const rows = rowsOf(this.choice);
      const bytes = (columns + padding) * rows * size;
      const most = this.machine.block_bytes;
      const parts = size / bytesAtOnce(size);
      this.find(".memory").textContent =
        `${rows} rows of ${columns + padding} elements: ${bytes.toLocaleString("en")} bytes of shared memory` +
        (bytes > most ? `. That is more than the ${most.toLocaleString("en")} that a block of ${machine} may have.` : ".") +
        (parts > 1 ? ` No instruction accesses ${size} bytes: this is the first of ${parts} accesses of ${bytesAtOnce(size)} bytes.` : "");
    }

    /** Shows one wavefront, or all of them again. */
    go(where) {
      if (!this.wavefronts.length) return;
      const last = this.wavefronts.length - 1;
      if (where === "all") this.step = null;
      else if (where === "first") this.step = 0;
      else if (where === "last") this.step = last;
      else if (this.step === null) this.step = where === "next" ? 0 : last;
      else this.step = Math.min(last, Math.max(0, this.step + (where === "next" ? 1 : -1)));
      this.show();
    }

    isShown(wavefront) {
      return this.step === null || wavefront === this.step;
    }

    show() {
      this.drawTile();
      this.drawBanks(this.find("svg.banks.wide"), this.machine.banks);
      this.drawBanks(this.find("svg.banks.narrow"), 16);
      this.find(".step").textContent = this.words();
      this.find(".stage").setAttribute("aria-label", `${this.find(".count").textContent}. ${this.words()}`);
      this.find('[data-step="first"]').disabled = false;
      this.find('[data-step="all"]').disabled = this.step === null;
      this.find('[data-step="previous"]').disabled = this.step === 0;
      this.find('[data-step="next"]').disabled = this.step === this.wavefronts.length - 1;
    }

    /** What the picture shows. */
    words() {
      const banksOf = (served) => ascending(served.map(([, word]) => word % this.machine.banks));
      if (this.step === null) {
        const busy = this.wavefronts.map((served) => banksOf(served).length);
        const [least, most] = [Math.min(...busy), Math.max(...busy)];
        return `All wavefronts: each uses ${least === most ? least : `${least} to ${most}`} of ${this.machine.banks} banks.`;
      }
      const served = this.wavefronts[this.step];
      const banks = banksOf(served);
      const lanes = ascending(served.map(([lane]) => lane));
      return (
        `Wavefront ${this.step + 1} of ${this.wavefronts.length}: bank${banks.length > 1 ? "s" : ""} ${ranges(banks)}, ` +
        `for lane${lanes.length > 1 ? "s" : ""} ${ranges(lanes)}.`
      );
    }

    drawTile() {
      const { columns, padding, lanes } = this.choice;
      const rows = rowsOf(this.choice);
      const [cell, width] = [10, columns + padding];
      const svg = this.find("svg.tile");
      svg.setAttribute("viewBox", `-1 -1 ${width * cell + 2} ${rows * cell + 2}`);
      svg.style.maxWidth = `${width * (width > 40 ? 6 : 10)}px`;
      const served = new Set();
      this.wavefronts.forEach((words, i) => {
        if (this.isShown(i)) for (const [lane] of words) served.add(lane);
      });
      const parts = [];
      if (padding)
        parts.push(element("rect", { class: "unused", x: columns * cell, y: 0, width: padding * cell, height: rows * cell }));
      const wanted = new Map();
      for (let lane = 0; lane < lanes; ++lane) {
        const [row, column] = elementOf(lane, this.choice);
        wanted.set(`${row},${column}`, { row, column, served: served.has(lane) || wanted.get(`${row},${column}`)?.served });
      }
      for (const one of wanted.values())
        parts.push(
          element("rect", { class: one.served ? "busy" : "wanted", x: one.column * cell, y: one.row * cell, width: cell, height: cell }),
        );
      svg.replaceChildren(...parts, gridPath(0, 0, width, rows, cell, cell));
    }

    drawBanks(svg, across) {
      const parts = [];
      const excess = this.wavefronts.length > this.ideal ? " excess" : "";
      let y = 0;
      for (let first = 0; first < this.machine.banks; first += across) {
        const here = Math.min(across, this.machine.banks - first);
        const isHere = ([, word]) => Math.floor((word % this.machine.banks) / across) * across === first;
        if (!this.wavefronts.some((served) => served.some(isHere))) {
          parts.push(element("text", { class: "axis", x: MARGIN, y: y + 13 }, `banks ${first} to ${first + here - 1}: idle`));
          y += ROW + 6;
          continue;
        }
        const label = (x, text, name = "bank") => parts.push(element("text", { class: `axis ${name}`, x, y: y + 13 }, text));
        label(MARGIN + CELL / 2, first);
        if (here > 3) label(MARGIN + (here * CELL) / 2, "bank");
        if (here > 1) label(MARGIN + (here - 0.5) * CELL, first + here - 1);
        y += ROW;
        parts.push(gridPath(MARGIN, y, here, this.wavefronts.length, CELL, ROW));
        this.wavefronts.forEach((served, i) => {
          parts.push(element("text", { class: "axis wavefront", x: MARGIN - 5, y: y + 13 }, i + 1));
          this.drawRow(parts, served, i, first, here, y, excess);
          y += ROW;
        });
        y += 6;
      }
      svg.setAttribute("viewBox", `-1 -1 ${MARGIN + across * CELL + 2} ${y + 2}`);
      svg.replaceChildren(...parts);
    }

    drawRow(parts, served, wavefront, first, across, y, excess) {
      const lanesOfBank = new Map();
      for (const [lane, word] of served) {
        const bank = (word % this.machine.banks) - first;
        if (bank >= 0 && bank < across) lanesOfBank.set(bank, [...(lanesOfBank.get(bank) ?? []), lane]);
      }
      const shown = this.isShown(wavefront);
      for (const [bank, lanes] of lanesOfBank) {
        const x = MARGIN + bank * CELL;
        parts.push(element("rect", { class: shown ? `busy${excess}` : "wanted", x, y, width: CELL, height: ROW }));
        const text = lanes.length === 1 ? lanes[0] : `×${lanes.length}`;
        parts.push(element("text", { class: shown ? "lane" : "axis bank", x: x + CELL / 2, y: y + 13 }, text));
      }
    }
  }

  let rule;
  try {
    rule = loadRule("bank_rule");
  } catch {
    return; // The still picture stays.
  }
  for (const figure of document.querySelectorAll("figure.bank-explorer")) new Explorer(figure, rule);
  Object.assign(conflictFree, { sharedSchedule: (access, machine) => sharedSchedule(rule, access, machine), accessOf });
})();
