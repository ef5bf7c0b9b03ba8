"use strict";
// The items travel as gzip in base64: a tenth of their size, and no character that markup could be node of.
async function unpack(id) {
  const text = document.getElementById(id).textContent;
  const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(text) : Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

// Every text of a probe reaches the page through here, as text and never as markup.
function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children.filter((child) => child !== null && child !== ""));
  return node;
}

// How a model did on an item: "right", "wrong", "tie", why there is no answer, or "" without a gold or a question.
function verdictOf(probe, model, place) {
  const chosen = model.chosen[place], gold = probe.answers[place];
  if (model.unanswered[place]) return model.unanswered[place];
  if (gold === null || chosen === -1) return "";
  if (Array.isArray(chosen)) return chosen.includes(gold) ? "tie" : "wrong";
  return chosen === gold ? "right" : "wrong";
}

function idOf(probe, place) {
  return probe.prefix + probe.ids[place];
}
