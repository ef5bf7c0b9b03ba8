"use strict";
// Filters above, the list on the left, the chosen item on the right.
(async () => {
  const at = (id) => document.getElementById(id);
  const data = await unpack("data");
  if (!data.probes.length) { at("count").textContent = "No item has a gold answer."; return; }
  for (const each of data.probes) each.details = {}; // tokens come when the page can be used already
  let probe = data.probes[0], facetChoices = [];

  const list = new VirtualList(at("list"), describe, (place) => {
    showItem(at("detail"), probe, place, +at("model").value || 0, open);
    if (moved && place !== null) history.replaceState(null, "", linkTo(idOf(probe, place)));
  });
  let moved = false; // the address follows who walks through the items, and stays as it is until then

  function describe(place) {
    const model = probe.models[+at("model").value || 0], outcome = verdictOf(probe, model, place);
    return [
      element("span", {}, brief(probe, place)),
      element("span", { class: "key" }, outcome ? element("b", { class: outcome === "right" ? "right" : "wrong" }, outcome) : "",
        outcome && !model.unanswered[place] ? `, margin ${model.margins[place] ? fixed(model.margins[place] / 1000, 3) : "±0.000"} ${model.unit} · ` : outcome ? " · " : "", idOf(probe, place)),
    ];
  }

  function fill(select, names) {
    select.replaceChildren(...names.map((name, number) => element("option", { value: number }, name)));
    select.parentElement.hidden = names.length < 2;
  }

  function chooseProbe() {
    probe = data.probes[+at("probe").value || 0];
    fill(at("model"), probe.models.map((model) => model.label));
    facetChoices = probe.facets.map((facet) => [facet, element("select", {}, element("option", { value: "" }, "all"),
      ...facet.values.map((value, code) => element("option", { value: code }, value)))]);
    at("facets").replaceChildren(...facetChoices.map(([facet, select]) => element("label", {}, facet.name + " ", select)));
    at("verdict").querySelector("[value=disagree]").hidden = probe.models.length < 2;
  }

  function refresh() {
    const found = passing(probe, {
      search: at("search").value, model: +at("model").value || 0, verdict: at("verdict").value, order: at("order").value,
      facets: facetChoices.filter(([, select]) => select.value !== "").map(([facet, select]) => [facet, +select.value]),
    });
    const left = probe.left ? `; ${probe.left.toLocaleString("en")} more are not in the page: horsesense show DIR ID` : "";
    at("count").textContent = `${found.length.toLocaleString("en")} of ${probe.ids.length.toLocaleString("en")} items${left}`;
    list.show(found);
  }

  function open(place) {
    if (!list.places.includes(place)) { clear(); refresh(); }
    list.go(list.places.indexOf(place));
  }

  // A reset would go back to the first probe too.
  function clear() {
    at("search").value = at("verdict").value = at("order").value = "";
    for (const [, select] of facetChoices) select.value = "";
  }

  function openLinked() {
    const id = linkedItem();
    if (id === null) return;
    const number = data.probes.findIndex((each) => id.startsWith(each.prefix) && each.ids.includes(id.slice(each.prefix.length)));
    if (number < 0) { at("count").textContent = `Item ${id} is not in this page.`; return; }
    if (data.probes[number] !== probe) { at("probe").value = number; chooseProbe(); clear(); refresh(); }
    open(probe.ids.indexOf(id.slice(probe.prefix.length)));
    at("items").scrollIntoView();
  }

  // Letters work only while the list or the item has the focus, so that they are in nobody's way.
  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === "j") list.go(list.at + 1);
    else if (event.key === "k") list.go(list.at - 1);
    else if (event.key === "/") at("search").focus();
    else if (event.key === "c") document.getElementById("copy")?.click();
    else return;
    event.preventDefault();
  }

  fill(at("probe"), data.probes.map((each) => each.name));
  chooseProbe();
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("filters").addEventListener("reset", (event) => { // at once: a key pressed after the click must find the new list
    event.preventDefault();
    at("probe").selectedIndex = 0;
    chooseProbe();
    clear();
    refresh();
  });
  at("probe").addEventListener("input", chooseProbe); // before the form hears of it
  at("filters").addEventListener("input", refresh);
  refresh();
  openLinked();
  moved = true;
  addEventListener("hashchange", openLinked);
  at("browser").addEventListener("keydown", key);
  at("csv").addEventListener("click", () => download(`${probe.name}.csv`, csvOf(probe, list.places)));
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((each) => { each.open = true; }));
  document.documentElement.dataset.ready = "true";
  await new Promise((done) => setTimeout(done)); // what is ready is drawn first
  (await unpack("tokens")).forEach((kept, number) => { data.probes[number].details = kept; });
  if (at("verdict").value === "tokens") refresh();
  else if (list.at >= 0) list.choose(list.places[list.at]);
  document.documentElement.dataset.whole = "true";
})();
