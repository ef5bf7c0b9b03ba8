"use strict";
// The grid: a click on a cell opens its card, a click on the head of a column sorts the rows by it.
(() => {
  const grid = document.getElementById("grid");
  if (!grid) return;

  function toggle(button, open) {
    button.setAttribute("aria-expanded", String(open));
    document.getElementById(button.getAttribute("aria-controls")).hidden = !open;
  }

  grid.addEventListener("click", (event) => {
    const cell = event.target.closest("button.cell"), head = event.target.closest("button.sort");
    if (cell) {
      const open = cell.getAttribute("aria-expanded") === "false";
      for (const other of cell.closest("tbody").querySelectorAll("button.cell[aria-expanded=true]")) toggle(other, false);
      toggle(cell, open);
    }
    if (head) sortBy(head.parentElement);
  });

  // Numbers from the greatest, names from A; a second click turns it round. What was not asked comes last.
  function sortBy(head) {
    const place = head.cellIndex, down = head.getAttribute("aria-sort") === (place ? "descending" : "ascending");
    const order = place ? (down ? "ascending" : "descending") : (down ? "descending" : "ascending");
    for (const other of head.parentElement.cells) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const value = (body) => Number(body.rows[0].cells[place].dataset.value ?? NaN);
    // A row across all columns stays above the rows below it.
    const section = new Map(), begins = (body) => body.classList.contains("apart");
    let number = 0;
    for (const body of grid.tBodies) section.set(body, (number += begins(body)));
    const bodies = [...grid.tBodies].sort((one, other) => {
      if (section.get(one) !== section.get(other)) return section.get(one) - section.get(other);
      if (begins(one) || begins(other)) return begins(other) - begins(one);
      if (!place) return sign * one.dataset.name.localeCompare(other.dataset.name, "en", { numeric: true });
      const a = value(one), b = value(other);
      return Number.isNaN(a) || Number.isNaN(b) ? Number.isNaN(a) - Number.isNaN(b) : sign * (a - b);
    });
    grid.append(...bodies);
  }

  // A link to details opens them.
  function openTarget() {
    const target = location.hash.startsWith("#details-") && document.getElementById(location.hash.slice(1));
    for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
    if (target) target.scrollIntoView();
  }
  addEventListener("hashchange", openTarget);
  openTarget();
  const cells = grid.querySelectorAll("button.cell");
  if (cells.length === 1) toggle(cells[0], true);
})();
