import { BrowserStorage } from "./browser-storage.js";
import { element } from "./element.js";

/** What can be chosen, by the attribute of the document that the style sheet heeds; the first is the default. */
const CHOICES = {
  theme: { legend: "Theme", options: { system: "As the system", light: "Light", dark: "Dark" } },
  text: { legend: "Text", options: { normal: "Normal", small: "Small", large: "Large", largest: "Largest" } },
};
/** The colours of the page behind the browser's own bars, as in style.css. */
const PAPER = { light: "#f6f2e8", dark: "#12191b" };

const storage = new BrowserStorage(() => localStorage);

/** Sets the page as this browser remembers it. */
export function applyAppearance() {
  for (const name of Object.keys(CHOICES)) set(name, kept(name));
}

/** The part of the settings about theme and size of text. */
export function appearanceSection() {
  const notice = element("p", { role: "status" });
  const choose = (name, value) => {
    set(name, value);
    storage.setItem(`cicada.${name}`, value);
    notice.textContent = storage.isRefused ? "This browser keeps nothing of the page, so the choice holds until you leave it." : "";
  };
  return element("section", {}, element("h3", {}, "Appearance"), Object.keys(CHOICES).map((name) => fieldOf(name, choose)), notice);
}

function fieldOf(name, choose) {
  const { legend, options } = CHOICES[name];
  const buttons = Object.entries(options).map(([value, label]) => {
    const input = element("input", { type: "radio", name, value, checked: kept(name) === value, on: { change: () => choose(name, value) } });
    return element("label", {}, input, ` ${label}`);
  });
  return element("fieldset", { className: "options" }, element("legend", {}, legend), buttons);
}

function kept(name) {
  const [first, ...others] = Object.keys(CHOICES[name].options);
  const value = storage.getItem(`cicada.${name}`);
  return others.includes(value) ? value : first;
}

function set(name, value) {
  document.documentElement.dataset[name] = value;
  if (name !== "theme") return;
  for (const meta of document.querySelectorAll("meta[name=theme-color]")) {
    meta.content = PAPER[value] ?? PAPER[meta.media.includes("dark") ? "dark" : "light"];
  }
}
