// Number keys choose, Enter answers. Without this script the page works all the same.
"use strict";

const task = document.getElementById("task");
const radios = [...task.querySelectorAll("fieldset.answers input[type=radio]")];
const criteria = [...task.querySelectorAll("fieldset.criterion")];
const typing = (element) => element.matches("textarea, input[type=text]");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || typing(event.target)) return;
  if (/^[1-9]$/.test(event.key) && radios[Number(event.key) - 1]) {
    const radio = radios[Number(event.key) - 1];
    radio.checked = true;
    radio.focus();
    radio.dispatchEvent(new Event("change", { bubbles: true }));
    event.preventDefault();
  } else if (/^[123yn]$/.test(event.key) && criteria.length) {
    const open = criteria.find((each) => !each.querySelector("input:checked"));
    const place = { y: 0, n: 1 }[event.key] ?? Number(event.key) - 1;
    const radio = open && open.querySelectorAll("input")[place];
    if (radio) {
      radio.checked = true;
      radio.focus();
    }
    event.preventDefault();
  } else if (event.key === "Enter" && !event.target.closest("button, summary, a")) {
    task.requestSubmit();
    event.preventDefault();
  }
});

// A second click must not look like a second answer; the server takes it once in any case.
task.addEventListener("submit", () => {
  setTimeout(() => { for (const button of task.querySelectorAll("button")) button.disabled = true; });
});
addEventListener("pageshow", () => { for (const button of task.querySelectorAll("button")) button.disabled = false; });

const first = document.getElementById("first");
if (first) {
  const second = document.getElementById("second");
  const fit = document.getElementById("fit");
  let wait = 0;
  let asked = 0;
  const check = async () => {
    const mine = ++asked;
    const fields = { form: task.elements.form.value, first: first.value, second: second.value };
    const answer = await fetch("/check", { method: "POST", body: new URLSearchParams(fields) });
    if (!answer.ok || mine !== asked) return;
    const said = await answer.json();
    fit.textContent = said.fits ? "One word differs: good." : said.problem;
    fit.dataset.fits = said.fits;
  };
  for (const field of [first, second]) {
    field.addEventListener("input", () => {
      clearTimeout(wait);
      if (first.value.trim() && second.value.trim()) wait = setTimeout(check, 300);
      else fit.textContent = "";
    });
  }
}

const start = task.querySelector("input:checked") || task.querySelector("input[type=text], textarea") || radios[0];
if (start && typing(start)) start.focus();
document.documentElement.dataset.ready = "";
