"use strict";
// Items to take away: one as JSON, those that pass the filters as CSV, any by its link.
function linkTo(id) {
  return `#item=${encodeURIComponent(id)}`;
}

function linkedItem() {
  const found = location.hash.match(/^#item=(.+)$/);
  return found ? decodeURIComponent(found[1]) : null;
}

function plainItem(probe, place) {
  const facets = Object.fromEntries(probe.facets.filter((facet) => facet.codes[place] >= 0)
    .map((facet) => [facet.name, facet.values[facet.codes[place]]]));
  const own = probe.families[place], kept = probe.details[idOf(probe, place)];
  return {
    id: idOf(probe, place), probe: probe.name, premise: probe.premises[place], text: probe.texts[place],
    options: probe.options[place], answer: probe.answers[place],
    family: own < 0 ? "" : probe.familyNames[own], member: probe.members[place], facets,
    answers: probe.models.map((model, number) => ({
      model: model.label, chosen: model.chosen[place] === -1 ? [] : [].concat(model.chosen[place]),
      verdict: verdictOf(probe, model, place), margin: model.margins[place] / 1000, unit: model.unit,
      tokens: kept?.[number]?.options ?? null, replies: kept?.[number]?.replies ?? [],
    })),
  };
}

function csvOf(probe, places) {
  const quoted = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    // A sheet would run a cell that begins like a formula.
    const safe = /^[=+@\t\r-]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const head = ["id", "premise", "text", "options", "answer", "family", "member", ...probe.facets.map((facet) => facet.name),
    ...probe.models.flatMap((model) => [`${model.label} chose`, `${model.label} verdict`, `${model.label} margin`])];
  const rows = places.map((place) => [
    idOf(probe, place), probe.premises[place], probe.texts[place], probe.options[place].join(" | "), probe.answers[place],
    probe.families[place] < 0 ? "" : probe.familyNames[probe.families[place]], probe.members[place],
    ...probe.facets.map((facet) => facet.values[facet.codes[place]]),
    ...probe.models.flatMap((model) => [model.chosen[place] === -1 ? "" : [].concat(model.chosen[place]).join(" "),
      verdictOf(probe, model, place), model.margins[place] / 1000]),
  ]);
  return [head, ...rows].map((row) => row.map(quoted).join(",")).join("\n") + "\n";
}

function download(name, text) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type: "text/csv" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
