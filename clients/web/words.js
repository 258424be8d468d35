import { BrowserStorage } from "./browser-storage.js";
import { words as english } from "./words/en.js";

/** The languages of the page, each by what it calls itself. */
export const LANGUAGES = { en: "English", de: "Deutsch", ja: "日本語", es: "Español", fr: "Français", ar: "العربية" };
const KEPT = "cicada.language";
const FROM_THE_RIGHT = /\p{Script=Arabic}|\p{Script=Hebrew}/u;
/** Around a text of the other direction: it does not move what stands beside it (Unicode's FSI and PDI). */
const [ISOLATE, END] = ["\u2068", "\u2069"];

const storage = new BrowserStorage(() => localStorage);
let words;
/** The language with the region that the browser has for it: English of Ireland has other dates than that of America. */
let locale;
let plurals;
let numbers;
speak("en", english);

/** Speaks the language that this browser keeps, or else one that it asks for, and has the document say so. */
export async function loadWords() {
  const wanted = languageOf(keptLanguage(), navigator.languages);
  try {
    speak(wanted, wanted === "en" ? english : (await import(`./words/${wanted}.js`)).words, navigator.languages);
  } catch (error) {
    // Better in English than not at all.
    console.error(error);
  }
  Object.assign(document.documentElement, { lang: language(), dir: direction() });
}

/** `kept`: the user's choice, or null. `preferred`: what the browser asks for, as "de-AT", the best first. */
export function languageOf(kept, preferred) {
  const asked = preferred.map((each) => each.split("-")[0].toLowerCase());
  return [kept, ...asked].find((each) => each !== null && Object.hasOwn(LANGUAGES, each)) ?? "en";
}

/** Uses these words from now on. */
export function speak(name, catalogue, preferred = []) {
  words = catalogue;
  locale = preferred.find((each) => each.split("-")[0].toLowerCase() === name) ?? name;
  plurals = new Intl.PluralRules(locale);
  numbers = new Intl.NumberFormat(locale);
}

/** What the user has chosen, or null. */
export function keptLanguage() {
  return storage.getItem(KEPT);
}

/** Keeps the choice for the next time that the page is loaded; null takes it back. Returns whether it is kept. */
export function keepLanguage(name) {
  if (name === null) storage.removeItem(KEPT);
  else storage.setItem(KEPT, name);
  return !storage.isRefused;
}

function language() {
  return locale.split("-")[0];
}

function direction() {
  return language() === "ar" ? "rtl" : "ltr";
}

/**
 * The sentence of the catalogue with the values in their places, numbers as the language writes them. Where it has several
 * forms, `count` chooses one.
 */
export function say(key, values = {}) {
  return sayAround(key, values).join("");
}

/** The same as children of an element: a value may be a node. */
export function sayAround(key, values = {}) {
  const found = words[key];
  const text = typeof found === "object" ? found[plurals.select(values.count)] : found;
  return text.split(/\{(\w+)\}/).map((piece, at) => (at % 2 ? shown(values[piece]) : piece)).filter((piece) => piece !== "");
}

function shown(value) {
  if (typeof value === "number") return numbers.format(value);
  const isOther = typeof value === "string" && (direction() === "rtl" ? value !== "" : FROM_THE_RIGHT.test(value));
  return isOther ? `${ISOLATE}${value}${END}` : value;
}

/** Gives the elements of the document their words: `data-say` their text, `data-say-label` and `data-say-placeholder` those. */
export function sayAll(root) {
  for (const each of root.querySelectorAll("[data-say]")) each.textContent = say(each.dataset.say);
  for (const each of root.querySelectorAll("[data-say-label]")) each.ariaLabel = say(each.dataset.sayLabel);
  for (const each of root.querySelectorAll("[data-say-placeholder]")) each.placeholder = say(each.dataset.sayPlaceholder);
}

/** `options` as `Intl.NumberFormat` has them. */
export function numberOf(number, options) {
  return options ? new Intl.NumberFormat(locale, options).format(number) : numbers.format(number);
}

/** A date or a time as the language writes it; `options` as `Intl.DateTimeFormat` has them. */
export function dateOf(moment, options) {
  return new Intl.DateTimeFormat(locale, options).format(new Date(moment));
}

/** "Today", "Yesterday". */
export function dayOf(daysAgo) {
  const text = new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(-daysAgo, "day");
  return text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);
}

/** "a, b" of texts. */
export function listed(texts) {
  return texts.join(say("list.separator"));
}

/** "a and b" of names. */
export function joined(names) {
  return new Intl.ListFormat(locale, { type: "conjunction" }).format(names);
}

/** Compares texts as the language puts them in order, and numbers in them by their value. */
export function collator() {
  return new Intl.Collator(locale, { numeric: true, sensitivity: "base" });
}
