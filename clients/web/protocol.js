/**
 * The CICADA protocol, version 1, for a browser or Node: no page code, nothing to install.
 *
 *     const client = new CicadaClient({ url, token: async () => accessToken, tokenIn: "query" });
 *     client.addEventListener("request", ({ detail }) => show(detail.text));
 *     client.connect();
 *     client.ask({ message: "Who tells Macbeth that the queen is dead?" });
 */
export { Assembly } from "./protocol/assembly.js";
export { CicadaClient } from "./protocol/client.js";
export { ReconnectingConnection } from "./protocol/reconnecting-connection.js";
export { CicadaError, SignInNeededError } from "./protocol/errors.js";
export { Request } from "./protocol/request.js";
export { SENTENCES } from "./protocol/sentences.js";
export { TIMINGS } from "./protocol/timings.js";
