import { BrowserStorage } from "./browser-storage.js";
import { element } from "./element.js";
import { LANGUAGES, keepLanguage, keptLanguage, say } from "./words.js";

/** What can be chosen, by the attribute of the document that the style sheet heeds; the first is the default. */
const CHOICES = {
  theme: ["system", "light", "dark"],
  text: ["normal", "small", "large", "largest"],
};
/** The colours of the page behind the browser's own bars, as in style.css. */
const PAPER = { light: "#f6f2e8", dark: "#12191b" };

const storage = new BrowserStorage(() => localStorage);

/** Sets the page as this browser remembers it. */
export function applyAppearance() {
  for (const name of Object.keys(CHOICES)) set(name, kept(name));
}

/** Where the choice of a language leaves it to the browser. */
const BROWSER = "browser";

/** The part of the settings about theme, size of text and language. */
export function appearanceSection() {
  const notice = element("p", { role: "status" });
  const choose = (name, value) => {
    set(name, value);
    storage.setItem(`cicada.${name}`, value);
    notice.textContent = storage.isRefused ? say("settings.notKept") : "";
  };
  const fields = Object.entries(CHOICES).map(([name, values]) => {
    const options = values.map((value) => [value, say(`settings.${name}.${value}`)]);
    return fieldOf(name, say(`settings.${name}`), options, kept(name), (value) => choose(name, value));
  });
  return element("section", {}, element("h3", {}, say("settings.appearance")), fields, languageField(notice), notice);
}

/** The page is loaded again with its new words; what was typed and what is open stays. */
function languageField(notice) {
  const options = [[BROWSER, say("settings.language.browser")], ...Object.entries(LANGUAGES)];
  const choose = (value) => {
    if (keepLanguage(value === BROWSER ? null : value)) location.reload();
    else notice.textContent = say("settings.languageNotKept");
  };
  return fieldOf("language", say("settings.language"), options, keptLanguage() ?? BROWSER, choose);
}

function fieldOf(name, legend, options, chosen, choose) {
  const buttons = options.map(([value, label]) => {
    const input = element("input", { type: "radio", name, value, checked: value === chosen, on: { change: () => choose(value) } });
    const own = Object.hasOwn(LANGUAGES, value) ? { lang: value } : {};
    return element("label", own, input, " ", element("bdi", {}, label));
  });
  return element("fieldset", { className: "options" }, element("legend", {}, legend), buttons);
}

function kept(name) {
  const [first, ...others] = CHOICES[name];
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
