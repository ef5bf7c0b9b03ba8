"use strict";
// Filters above, the list on the left, the chosen item on the right.
(async () => {
  const at = (id) => document.getElementById(id);
  const data = await unpack("data");
  if (!data.probes.length) { at("count").textContent = "There are no items with a gold."; return; }
  let probe = data.probes[0], facetChoices = [];

  const list = new VirtualList(at("list"), describe, (place) => showItem(at("detail"), probe, place, open));

  function describe(place) {
    const model = probe.models[+at("model").value || 0], told = verdictOf(probe, model, place);
    return [
      element("span", {}, brief(probe, place)),
      element("span", { class: "key" }, told ? element("b", { class: told === "right" ? "right" : "wrong", style: "font-style: normal" }, told) : "",
        told ? ` by ${(Math.abs(model.margins[place]) / 1000).toFixed(3)} · ` : "", idOf(probe, place)),
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
    at("count").textContent = `${found.length.toLocaleString("en")} of ${probe.ids.length.toLocaleString("en")} items`;
    list.show(found);
  }

  function open(place) {
    if (!list.places.includes(place)) { at("filters").reset(); chooseProbe(); refresh(); }
    list.go(list.places.indexOf(place));
  }

  fill(at("probe"), data.probes.map((each) => each.name));
  chooseProbe();
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("filters").addEventListener("reset", () => setTimeout(() => { chooseProbe(); refresh(); }));
  at("probe").addEventListener("input", chooseProbe); // before the form hears of it
  at("filters").addEventListener("input", refresh);
  refresh();
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((each) => { each.open = true; }));
  document.documentElement.dataset.ready = "true";
})();
