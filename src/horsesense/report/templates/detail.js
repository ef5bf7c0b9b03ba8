"use strict";
// One item in full: options, who chose which, tokens where they are kept, the evidence, and its family.
function showItem(box, probe, place, open) {
  box.scrollTop = 0;
  if (place === null) return box.replaceChildren(element("p", { class: "soft" }, "No item fits these filters."));
  const id = idOf(probe, place), kept = probe.details[id];
  const parts = [element("h3", {}, element("code", {}, id)), ...question(probe, place), options(probe, place)];
  const facets = probe.facets.filter((facet) => facet.codes[place] >= 0)
    .map((facet) => `${facet.name} ${facet.values[facet.codes[place]]}`);
  if (facets.length) parts.push(element("p", { class: "key" }, facets.join(" · ")));
  if (kept) probe.models.forEach((model, number) => kept[number] && parts.push(...tokens(model, kept[number], probe.answers[place])));
  else parts.push(element("p", { class: "key" },
    "Tokens are kept in the page for errors, disagreements and a sample only. This one: horsesense show DIR " + id));
  parts.push(...family(probe, place, open));
  box.replaceChildren(...parts);
}

function question(probe, place) {
  return [probe.premises[place], probe.texts[place]].filter(Boolean).map((text) => element("p", {}, text));
}

function options(probe, place) {
  const gold = probe.answers[place];
  return element("ol", {}, ...probe.options[place].map((option, number) => {
    const by = probe.models.filter((model) => [].concat(model.chosen[place]).includes(number)).map((model) => model.label);
    const mark = number === gold ? element("span", { class: "mark right" }, "right") : element("span", { class: "mark" });
    const who = by.length ? element("span", { class: number === gold ? "right" : "wrong" }, ` ← ${by.join(", ")}`) : null;
    return element("li", {}, mark, option, who);
  }));
}

// Deeper red: less expected. A token of probability 1 has no colour.
function tokens(model, kept, gold) {
  const parts = [];
  if (kept.options.some((option) => option.logprobs.length)) {
    parts.push(element("h4", {}, `Tokens by ${model.label}: the redder, the less expected`));
    parts.push(element("ol", {}, ...kept.options.map((option, number) => element("li", {},
      element("span", { class: "number" }, option.score.toFixed(3)),
      number === gold ? element("span", { class: "right" }, "✓ ") : "", ...coloured(option)))));
  } else {
    parts.push(element("h4", {}, `Scores by ${model.label}`));
    parts.push(element("p", {}, kept.options.map((option) => option.score.toFixed(3)).join(" · ")));
  }
  if (kept.evidence) parts.push(...evidence(kept, gold));
  return parts;
}

function coloured(option) {
  const pieces = [];
  let at = 0;
  option.starts.forEach((start, number) => {
    if (start > at) pieces.push(option.text.slice(at, start));
    const value = option.logprobs[number], end = Math.max(start, option.ends[number]);
    pieces.push(element("span", { class: "token", title: `log-probability ${value}`,
      style: `--hue: var(--against); --deep: ${Math.min(0.6, -value / 16).toFixed(2)}` }, option.text.slice(Math.max(at, start), end)));
    at = Math.max(at, end);
  });
  pieces.push(option.text.slice(at));
  return pieces;
}

// q_k of cats: what each place says for the right option (green) or for the best other one (red).
function evidence(kept, gold) {
  const total = kept.evidence.places.reduce((sum, [, , q]) => sum + q, 0);
  const other = kept.evidence.other;
  const pairs = kept.evidence.places.map(([one, against, q]) => element("span", { class: "pair",
    style: `--hue: var(--${q >= 0 ? "for" : "against"}); --deep: ${Math.min(0.6, Math.abs(q) / 8).toFixed(2)}` },
    one === against ? one : `${one || "–"} / ${against || "–"}`, element("small", {}, q.toFixed(1))));
  return [
    element("h4", {}, `Evidence: option ${gold + 1} (right) against option ${other + 1}`),
    element("div", {}, ...pairs),
    element("p", { class: "key" }, `Green speaks for the right option, red for the other; in all ${total.toFixed(1)}.`),
  ];
}

function family(probe, place, open) {
  const own = probe.families[place];
  if (own < 0) return [];
  const members = [];
  probe.families.forEach((each, other) => { if (each === own && other !== place) members.push(other); });
  if (!members.length) return [];
  const rows = members.slice(0, 30).map((other) => {
    const button = element("button", { type: "button" }, probe.members[other] || "open");
    button.addEventListener("click", () => open(other));
    return element("li", {}, button, " ", brief(probe, other), ...marks(probe, other));
  });
  const more = members.length > 30 ? ` (30 of ${members.length})` : "";
  return [element("h4", {}, `The family ${probe.familyNames[own]}${more}`), element("ul", {}, ...rows)];
}

function brief(probe, place) {
  const gold = probe.answers[place];
  return [probe.premises[place], probe.texts[place] || probe.options[place][gold ?? 0]].filter(Boolean).join(" ");
}

function marks(probe, place) {
  return probe.models.map((model) => {
    const told = verdictOf(probe, model, place);
    const name = probe.models.length > 1 ? `${model.label} ` : "";
    return element("span", { class: told === "right" ? "right" : "wrong" }, told ? ` ${name}${told}` : "");
  });
}
