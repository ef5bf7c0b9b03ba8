"use strict";
const ROW = 56; // pixels; the same height as .row in style.css
const SPARE = 6; // rows made above and below what is seen

// A list of which only the rows in view exist: 50,000 items scroll as fast as 50.
class VirtualList {
  constructor(box, describe, choose) {
    this.box = box;
    this.describe = describe;
    this.choose = choose;
    this.room = box.appendChild(element("div", { role: "presentation" }));
    this.places = [];
    this.at = -1;
    box.addEventListener("scroll", () => this.draw());
    box.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(box);
  }

  show(places) {
    this.places = places;
    this.at = places.length ? 0 : -1;
    this.room.style.height = `${places.length * ROW}px`;
    this.box.scrollTop = 0;
    this.draw();
    this.choose(this.at < 0 ? null : places[0]);
  }

  draw() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / ROW) - SPARE);
    const last = Math.min(this.places.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / ROW) + SPARE);
    const rows = [];
    for (let number = first; number < last; number++) rows.push(this.row(number));
    this.room.replaceChildren(...rows);
    if (this.at >= first && this.at < last) this.box.setAttribute("aria-activedescendant", `row-${this.at}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  row(number) {
    const row = element("div", {
      class: "row", role: "option", id: `row-${number}`, "aria-selected": String(number === this.at),
      "aria-setsize": this.places.length, "aria-posinset": number + 1,
    }, ...this.describe(this.places[number]));
    row.style.top = `${number * ROW}px`;
    row.addEventListener("click", () => this.go(number));
    return row;
  }

  go(number) {
    if (!this.places.length) return;
    this.at = Math.min(this.places.length - 1, Math.max(0, number));
    const top = this.at * ROW, seen = this.box.clientHeight;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (top + ROW > this.box.scrollTop + seen) this.box.scrollTop = top + ROW - seen;
    this.draw();
    this.choose(this.places[this.at]);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / ROW) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    if (event.key in steps) this.go(this.at + steps[event.key]);
    else if (event.key === "Home") this.go(0);
    else if (event.key === "End") this.go(this.places.length - 1);
    else return;
    event.preventDefault();
  }
}
