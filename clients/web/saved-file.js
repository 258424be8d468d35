import { element } from "./element.js";

/** The browser saves the text as a file of this title; `type` is its media type. */
export function saveFile(title, suffix, type, text) {
  const href = URL.createObjectURL(new Blob([text], { type }));
  const name = title.replace(/[^\p{L}\p{N} _-]/gu, "").trim().slice(0, 60) || "conversation";
  element("a", { href, download: `${name}.${suffix}` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
