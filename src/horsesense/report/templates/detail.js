"use strict";
// One item in full: options, who chose which, tokens where they are kept, the evidence, and its family.
function showItem(box, probe, place, chosen, open) {
  box.scrollTop = 0;
  if (place === null) return box.replaceChildren(element("p", { class: "soft" }, "No item matches these filters."));
  const id = idOf(probe, place), kept = probe.details[id];
  const parts = [heading(probe, place), ...question(probe, place), options(probe, place)];
  const facets = probe.facets.filter((facet) => facet.codes[place] >= 0)
    .map((facet) => `${facet.name}: ${facet.values[facet.codes[place]]}`);
  if (facets.length) parts.push(element("p", { class: "key" }, facets.join(" · ")));
  if (kept) probe.models.forEach((model, number) => {
    if (!kept[number]) return;
    parts.push(tokens(probe, model, place, kept[number], number === chosen));
    if (kept[number].replies.length) parts.push(replies(probe, model, place, kept[number].replies, number === chosen));
  });
  else parts.push(element("p", { class: "key" },
    "The page has token scores for errors, disagreements and a sample only. For this item: horsesense show DIR " + id));
  parts.push(...family(probe, place, open));
  box.replaceChildren(...parts);
}

function heading(probe, place) {
  const copy = element("button", { type: "button", class: "plain", id: "copy" }, "copy as JSON");
  copy.addEventListener("click", async () => {
    copy.textContent = (await copied(JSON.stringify(plainItem(probe, place), null, 1))) ? "copied" : "copy failed";
  });
  const link = element("a", { href: linkTo(idOf(probe, place)), title: "Link to this item" }, element("code", {}, idOf(probe, place)));
  return element("div", { class: "top" }, element("h3", {}, link), copy);
}

// The browser's own way first; a page that is opened from disk may not be allowed it.
async function copied(text) {
  try { await navigator.clipboard.writeText(text); return true; } catch { /* the older way */ }
  const area = document.body.appendChild(element("textarea", { "aria-label": "to copy" }));
  area.value = text;
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

function question(probe, place) {
  return [probe.premises[place], probe.texts[place]].filter(Boolean).map((text) => element("p", { class: "question" }, text));
}

// What all texts begin with and end with, in whole words: only what lies between tells them apart.
function shared(texts) {
  if (texts.length < 2) return [0, 0];
  const least = Math.min(...texts.map((text) => text.length));
  let start = 0, end = 0;
  while (start < least && texts.every((text) => text[start] === texts[0][start])) start++;
  while (end < least - start && texts.every((text) => text.at(-1 - end) === texts[0].at(-1 - end))) end++;
  while (start > 0 && /\w/.test(texts[0][start - 1])) start--;
  while (end > 0 && /\w/.test(texts[0].at(-end))) end--;
  return [start, end];
}

function options(probe, place) {
  const gold = probe.answers[place], texts = probe.options[place], [start, end] = shared(texts);
  return element("ol", { class: "options" }, ...texts.map((option, number) => {
    const by = probe.models.filter((model) => [].concat(model.chosen[place]).includes(number)).map((model) => model.label);
    const mark = element("span", { class: number === gold ? "mark right" : "mark" }, number === gold ? "✓ gold" : "");
    const between = option.slice(start, option.length - end);
    const text = start || end
      ? [option.slice(0, start), element("b", {}, between), option.slice(option.length - end)] : [option];
    const who = by.length ? element("span", { class: number === gold ? "right" : "wrong" }, ` ← ${by.join(", ")}`) : null;
    return element("li", {}, mark, element("span", {}, ...text, who));
  }));
}

// What rounds to 0 has no sign, and a minus is not a hyphen.
function fixed(value, digits) {
  return value.toFixed(digits).replace(/^-(?=[0.]+$)/, "").replace("-", "\u2212");
}

// Deeper red: less expected. What all options begin with says nothing between them, and has no colour.
function tokens(probe, model, place, kept, open) {
  const gold = probe.answers[place], parts = [];
  const score = (option) => fixed(option.score, 3);
  if (kept.options.some((option) => option.logprobs.length)) {
    const [start] = shared(kept.options.map((option) => option.text));
    parts.push(element("p", { class: "key" }, `Scores in ${model.unit}, over all scored tokens. Shading starts at the first token in which the options differ; darker red: lower probability.`));
    parts.push(element("ol", { class: "options" }, ...kept.options.map((option, number) => element("li", {},
      element("span", { class: number === gold ? "mark right" : "mark" }, score(option)),
      element("span", {}, ...coloured(option, start))))));
  } else {
    parts.push(element("p", {}, `${kept.options.map(score).join(" · ")} ${model.unit}`));
  }
  if (kept.evidence) parts.push(...evidence(probe, model, place, kept));
  return element("details", open ? { open: "" } : {}, element("summary", {}, `Token scores: ${model.label}`), ...parts);
}

// Prompts and replies as they were, thoughts apart from the answer.
function replies(probe, model, place, kept, open) {
  const outcome = verdictOf(probe, model, place);
  const parts = kept.flatMap(([what, prompt, reasoning, text]) => [
    element("pre", { class: "said" }, prompt),
    ...(reasoning ? [element("details", {}, element("summary", {}, "Thoughts"), element("pre", { class: "said" }, reasoning))] : []),
    element("p", {}, element("b", {}, "Reply: "), what),
    ...(text ? [element("pre", { class: "said" }, text)] : []),
  ]);
  const title = `Prompts and replies: ${model.label}${outcome ? `, ${outcome}` : ""}`;
  return element("details", open ? { open: "" } : {}, element("summary", {}, title), ...parts);
}

function coloured(option, shared) {
  const pieces = [];
  let at = 0;
  option.starts.forEach((start, number) => {
    if (start > at) pieces.push(option.text.slice(at, start));
    const value = option.logprobs[number], end = Math.max(start, option.ends[number]);
    const text = option.text.slice(Math.max(at, start), end);
    pieces.push(element("span", { class: "token", title: `log-probability ${value} nats`,
      style: `--hue: var(--against); --deep: ${end <= shared ? 0 : Math.min(0.6, -value / 16).toFixed(2)}` }, text));
    at = Math.max(at, end);
  });
  pieces.push(option.text.slice(at));
  return pieces;
}

// Token evidence: how far each position favours the gold option (green) or the best other one (red).
function evidence(probe, model, place, kept) {
  const total = kept.evidence.places.reduce((sum, [, , q]) => sum + q, 0);
  const gold = probe.answers[place], other = kept.evidence.other;
  const pairs = kept.evidence.places.map(([one, against, q]) => element("span", { class: "pair",
    style: `--hue: var(--${q >= 0 ? "for" : "against"}); --deep: ${Math.min(0.6, Math.abs(q) / 8).toFixed(2)}` },
    one === against ? one : `${one || "–"} / ${against || "–"}`, element("small", {}, fixed(q, 1))));
  const margin = fixed(model.margins[place] / 1000, 3);
  return [
    element("h4", {}, `Token evidence: option ${gold + 1} (gold) against option ${other + 1}`),
    element("div", {}, ...pairs),
    element("p", { class: "key" }, `Green favours the gold option, red the other; sum ${fixed(total, 1)} nats. ` +
      `Margin: ${margin} ${model.unit}.`),
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
  return [element("h4", {}, `Items of the same family (${probe.familyNames[own]})${more}`), element("ul", {}, ...rows)];
}

function brief(probe, place) {
  const gold = probe.answers[place];
  return [probe.premises[place], probe.texts[place] || probe.options[place][gold ?? 0]].filter(Boolean).join(" ");
}

function marks(probe, place) {
  return probe.models.map((model) => {
    const outcome = verdictOf(probe, model, place);
    const name = probe.models.length > 1 ? `${model.label} ` : "";
    return element("span", { class: outcome === "right" ? "right" : "wrong" }, outcome ? ` ${name}${outcome}` : "");
  });
}
