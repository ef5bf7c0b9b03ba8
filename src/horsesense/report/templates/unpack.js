"use strict";
// The items travel as gzip in base64: a tenth of their size, and no character that markup could be made of.
async function unpack(id) {
  const packed = atob(document.getElementById(id).textContent);
  const bytes = new Uint8Array(packed.length);
  for (let place = 0; place < packed.length; place++) bytes[place] = packed.charCodeAt(place);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

// Every text of a probe reaches the page through here, as text and never as markup.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null && child !== ""));
  return made;
}

// How a model did on an item: "right", "wrong", "tie", or "" where there is no gold or it was not asked.
function verdictOf(probe, model, place) {
  const chosen = model.chosen[place], gold = probe.answers[place];
  if (gold === null || chosen === -1) return "";
  if (Array.isArray(chosen)) return chosen.includes(gold) ? "tie" : "wrong";
  return chosen === gold ? "right" : "wrong";
}

function idOf(probe, place) {
  return probe.prefix + probe.ids[place];
}
