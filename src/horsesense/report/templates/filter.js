"use strict";
// One lower-cased text an item, made at the first search and kept.
function searchable(probe) {
  probe.haystack ??= probe.ids.map((id, place) =>
    [probe.prefix + id, probe.premises[place], probe.texts[place], ...probe.options[place]].join("\n").toLowerCase());
  return probe.haystack;
}

// The places of a probe's items that pass all filters, in the order asked for.
function passing(probe, wanted) {
  const words = wanted.search.toLowerCase().split(/\s+/).filter(Boolean);
  const texts = words.length ? searchable(probe) : null;
  const model = probe.models[wanted.model];
  const found = [];
  for (let place = 0; place < probe.ids.length; place++) {
    if (wanted.facets.some(([facet, code]) => facet.codes[place] !== code)) continue;
    if (texts && !words.every((word) => texts[place].includes(word))) continue;
    if (wanted.verdict && !hasVerdict(probe, model, place, wanted.verdict)) continue;
    found.push(place);
  }
  const margins = model.margins;
  if (wanted.order === "worst") found.sort((a, b) => margins[a] - margins[b]);
  if (wanted.order === "close") found.sort((a, b) => Math.abs(margins[a]) - Math.abs(margins[b]));
  return found;
}

function hasVerdict(probe, model, place, verdict) {
  if (verdict === "tokens") return idOf(probe, place) in probe.details;
  if (verdict === "unanswered") return place in model.unanswered;
  if (verdict !== "disagree") return verdictOf(probe, model, place) === verdict;
  const outcome = new Set(probe.models.map((each) => verdictOf(probe, each, place)).filter(Boolean));
  return outcome.size > 1;
}
