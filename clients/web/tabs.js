/**
 * What the tabs of one user tell each other. An answer goes to the connection that last asked for it, and its tab passes the
 * events on, so that all tabs show it.
 *
 * News: `asked({requestId, sessionId, title, knowledgeBase})`, a question was accepted, `title` is its text; `event(frame)`,
 * of a request; `changed(session)`; `deleted(sessionId)`; `erased()`, nothing is kept of the user any more.
 */
export class Tabs {
  #channel;

  /** `hears`: a function for each of the news of the other tabs. */
  constructor(user, hears) {
    this.#channel = new BroadcastChannel(`cicada.tabs.${user}`);
    this.#channel.onmessage = ({ data: [kind, detail] }) => hears[kind]?.(detail);
  }

  tell(kind, detail = null) {
    this.#channel.postMessage([kind, detail]);
  }

  /** Nothing is heard any more. */
  end() {
    this.#channel.onmessage = null;
    this.#channel.close();
  }
}
