import { say } from "./words.js";

/** The base that the server asks by default, `default_knowledge_base` of its settings; beside answers others are named. */
export const DEFAULT_KNOWLEDGE_BASE = "scripts";

/** What the protocol takes as a name. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

/** What to say at once of a name that no knowledge base can have; null if it may be one's: only the server knows. */
export function troubleWith(name) {
  if (NAME.test(name)) return null;
  return say("bases.noName", { name });
}
