"use strict";
// Tables that sort: a click on the head of a column orders its rows, a second click turns them round.
(() => {
  for (const table of document.querySelectorAll("table.sortable")) {
    table.tHead.addEventListener("click", (event) => {
      const head = event.target.closest("th");
      if (!head || !event.target.closest("button.sort")) return;
      const place = head.cellIndex, down = head.getAttribute("aria-sort") !== "descending";
      for (const other of head.parentElement.cells) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[place].dataset.value ?? row.cells[place].textContent.trim();
      const rows = [...table.tBodies[0].rows].sort((one, other) => {
        const a = Number(key(one)), b = Number(key(other));
        const order = Number.isNaN(a) || Number.isNaN(b) ? key(other).localeCompare(key(one), "en") : b - a;
        return down ? order : -order;
      });
      table.tBodies[0].append(...rows);
    });
  }
})();
