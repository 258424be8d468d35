/**
 * The CICADA protocol, version 1, for a browser or Node: no page code, nothing to install.
 *
 *     const client = new CicadaClient({ url, token: async () => accessToken, tokenIn: "query" });
 *     client.addEventListener("request", ({ detail }) => show(detail.text));
 *     client.connect();
 *     client.ask({ message: "Who tells Macbeth that the queen is dead?" });
 */
export { Assembly } from "./assembly.js";
export { CicadaClient } from "./client.js";
export { CicadaError, SignInNeededError } from "./errors.js";
export { SENTENCES } from "./sentences.js";
export { TIMINGS } from "./timings.js";
