/** The page's catalogues, and that its words stand nowhere else. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { dateOf, dayOf, LANGUAGES, languageOf, numberOf, say, sayAround, speak } from "../../clients/web/words.js";
import { words as english } from "../../clients/web/words/en.js";

const PAGE = new URL("../../clients/web/", import.meta.url);
const catalogues = Object.fromEntries(
  await Promise.all(Object.keys(LANGUAGES).map(async (name) => [name, (await import(`../../clients/web/words/${name}.js`)).words])),
);
const others = Object.keys(LANGUAGES).filter((name) => name !== "en");
const files = readdirSync(PAGE, { recursive: true }).filter((name) => name.endsWith(".js") && !/^(?:words|protocol)\/|^srp\.js$/.test(name));
const sources = Object.fromEntries(files.map((name) => [name, readFileSync(new URL(name, PAGE), "utf-8")]));
const html = readFileSync(new URL("index.html", PAGE), "utf-8");

const formsOf = (entry) => (typeof entry === "string" ? { only: entry } : entry);
const placesIn = (text) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();
const spoken = (name, preferred) => speak(name, catalogues[name], preferred);

for (const name of others) {
  test(`${LANGUAGES[name]} has the sentences of English with the same values in them`, () => {
    assert.deepEqual(Object.keys(catalogues[name]), Object.keys(english));
    for (const [key, entry] of Object.entries(catalogues[name])) {
      const wanted = placesIn(Object.values(formsOf(english[key])).at(-1));
      // "One document" and "two documents" may be words.
      const full = Object.entries(formsOf(entry)).filter(([form]) => !["zero", "one", "two"].includes(form));
      for (const [, text] of full) assert.deepEqual(placesIn(text), wanted, key);
      for (const text of Object.values(formsOf(entry))) assert.ok(placesIn(text).every((place) => wanted.includes(place)) && text.trim(), key);
      assert.equal(typeof entry, typeof english[key], key);
    }
  });

  test(`${LANGUAGES[name]} is no copy of English`, () => {
    const long = Object.keys(english).filter((key) => typeof english[key] === "string" && english[key].split(" ").length > 3);
    assert.deepEqual(long.filter((key) => catalogues[name][key] === english[key]), []);
  });
}

for (const [name, words] of Object.entries(catalogues)) {
  test(`${LANGUAGES[name]} has a form for each of its plurals, and no other`, () => {
    const wanted = new Intl.PluralRules(name).resolvedOptions().pluralCategories.toSorted();
    for (const [key, entry] of Object.entries(words)) if (typeof entry !== "string") assert.deepEqual(Object.keys(entry).sort(), wanted, key);
  });
}

test("each sentence is said somewhere, and what is said is there", () => {
  const all = [...Object.values(sources), html].join("\n");
  const families = [...all.matchAll(/`([a-zA-Z]+\.)\$\{/g), ...all.matchAll(/`([a-zA-Z]+\.\w+\.)\$\{/g)].map(([, prefix]) => prefix);
  families.push("settings.theme", "settings.text");
  const isSaid = (key) => all.includes(`"${key}"`) || families.some((prefix) => key.startsWith(prefix));
  assert.deepEqual(Object.keys(english).filter((key) => !isSaid(key)), []);
  const sections = new Set(Object.keys(english).map((key) => key.split(".")[0]));
  const named = [...all.matchAll(/"((\w+)\.\w+(?:\.\w+)*)"/g)].filter(([, key, section]) => sections.has(section) && !key.endsWith(".js")).map(([, key]) => key);
  assert.ok(named.length > 200);
  assert.deepEqual(named.filter((key) => !Object.hasOwn(english, key)), []);
});

/** Strings that are no words of the page: names of keys, headers and files, and what is sent to the server or saved in a file. */
const NO_WORDS = /^(?:button, input|Cicada|Enter|Escape|Esc|Shift Enter|Content-Type|X-Amz-Target|Segmenter|SHA-256|AWSCognito.*|(?:In|Code|Enable|Not|User|Password|Too|Limit|Expired)\w+|next page|Initiate\w+|Revoke\w+|Respond\w+|Get\w+|Associate\w+|Verify\w+|Set\w+|M|M.*h1v1.*|openid email|Knowledge base: …|Shared by a link with your tenant\.|How many are there by .*|Only those with .*|MetadataOnly|NeedsClarification)$/;
/** Where a string is none: imports, names of classes and listeners, selectors, comments and expressions. */
const TECHNICAL = [
  /\/\*[\s\S]*?\*\//g,
  /(?<=^|\s)\/\/.*$/gm,
  /from "[^"]+"|import\("[^"]+"\)/g,
  /className: (?:[^",]+(?:"rejected")? \? )?"[^"]*"(?: : "[^"]*")?/g,
  /(?:querySelector|querySelectorAll|matches|closest|matchMedia|import)\(\s*(?:"[^"]*"|`[^`]*`)/g,
  /(?:autocomplete|rel|pattern|translate|inputMode): "[^"]*"/g,
  /const (?:FIELDS|NOT_SPOKEN|BLOCKS|STORED_AS|SCOPES|TERMINAL) = "[^"]*"/g,
  /new (?:Error|RegExp)\([^)]*\)|console\.\w+\([^)]*\)/g,
  /(?<=[=(,:]\s*|^\s*)\/(?:[^/\n\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+\/[gimsuy]*/gm,
];

test("no words of the page stand in its modules", () => {
  const found = [];
  for (const [name, source] of Object.entries(sources)) {
    // What runs when nothing else has come has no catalogue.
    if (["words.js", "boot.js"].includes(name)) continue;
    const bare = TECHNICAL.reduce((text, pattern) => text.replace(pattern, " "), source);
    for (const [, quoted, template] of bare.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)) {
      const text = (quoted ?? template).replace(/\$\{[^}]*\}/g, "…");
      const isProse = /^[A-Z][a-z]+/.test(text) || /[a-z]{2,},? [a-z]{2,}/i.test(text) || /^ [a-z]+|[a-z]+ $/i.test(text);
      if (isProse && !NO_WORDS.test(text)) found.push(`${name}: ${text}`);
    }
  }
  assert.deepEqual(found, []);
});

test("no words of the page stand in its document", () => {
  const body = html.slice(html.indexOf("<body")).replace(/<noscript>.*<\/noscript>/, "");
  const texts = [...body.matchAll(/>([^<]+)</g)].map(([, text]) => text.trim()).filter((text) => /\p{L}/u.test(text));
  assert.deepEqual(new Set(texts), new Set(["Cicada"]));
  assert.doesNotMatch(body, /(?<!data-say-)(?:aria-label|placeholder|title)="/);
});

test("a number chooses the form of the sentence, and is written as the language writes it", () => {
  spoken("de");
  assert.deepEqual([1, 2, 12_500].map((count) => say("documents.count", { count })), ["1 Dokument", "2 Dokumente", "12.500 Dokumente"]);
  spoken("ar", ["ar"]);
  assert.deepEqual([1, 2, 3, 11].map((count) => say("documents.count", { count })), ["مستند واحد", "مستندان", "3 مستندات", "11 مستندًا"]);
  spoken("fr");
  assert.equal(numberOf(1.5, { minimumFractionDigits: 1 }), "1,5");
  spoken("en");
});

test("days and dates are those of the language, with the browser's region", () => {
  const day = new Date(2026, 2, 31);
  const written = (name, preferred) => (spoken(name, preferred), [dayOf(0), dayOf(1), dateOf(day, { dateStyle: "short" })]);
  assert.deepEqual(written("en", ["en-GB"]), ["Today", "Yesterday", "31/03/2026"]);
  assert.deepEqual(written("de", ["en-US", "de-AT"]), ["Heute", "Gestern", "31.03.26"]);
  assert.deepEqual(written("ja"), ["今日", "昨日", "2026/03/31"]);
  spoken("en");
});

test("a value of the other direction does not move what stands beside it", () => {
  assert.equal(say("documents.removed", { title: "lease.md" }), "lease.md was removed.");
  assert.equal(say("documents.removed", { title: "عقد" }), "\u2068عقد\u2069 was removed.");
  spoken("ar");
  assert.equal(say("documents.removed", { title: "lease.md" }), "أُزيل \u2068lease.md\u2069.");
  spoken("en");
});

test("a value may be an element", () => {
  const [enter, newLine, stop] = [{}, {}, {}];
  const children = sayAround("question.keys", { enter, newLine, stop });
  assert.deepEqual(children, [enter, " asks ", newLine, " new line ", stop, " stops"]);
  assert.equal(children[0], enter);
});

test("the language is the one that was chosen, else the first of the browser's that the page has, else English", () => {
  assert.equal(languageOf("ja", ["de-AT"]), "ja");
  assert.equal(languageOf(null, ["nl", "de-AT", "en"]), "de");
  assert.equal(languageOf("xx", ["nl"]), "en");
  assert.equal(languageOf(null, []), "en");
});
