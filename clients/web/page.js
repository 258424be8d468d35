import { ChatView } from "./chat-view.js";
import { CicadaClient } from "./protocol.js";
import { SignInView } from "./sign-in-view.js";
import { SignIn } from "./signin.js";
import { TabMemory } from "./tab-memory.js";

/**
 * Reads `config.json` beside this page: `websocketUrl`, `tokenIn` ("query" or "subprotocol"), `cognitoUrl`, `clientId`,
 * and optionally `users` (sample users) and `examples` (questions to begin with). The page's own address may name a
 * knowledge base, as `?knowledgeBase=shop`; the examples are not shown then.
 */
async function loadConfig() {
  const response = await fetch("config.json", { cache: "no-store" });
  if (!response.ok) throw new Error(`config.json: ${response.status}`);
  return response.json();
}

class Page {
  #config;
  #signIn;
  #signInView;
  #chat = null;

  constructor(config) {
    this.#config = config;
    this.#signIn = new SignIn(config);
    this.#signInView = new SignInView({
      root: document.querySelector("#sign-in-view"),
      signIn: this.#signIn,
      users: config.users,
      signedIn: () => this.#startChat(),
    });
  }

  start() {
    if (this.#signIn.user) this.#startChat();
    else this.#signInView.show();
  }

  #startChat() {
    const { websocketUrl, tokenIn, examples = [] } = this.#config;
    const knowledgeBase = new URLSearchParams(location.search).get("knowledgeBase") || undefined;
    const { user } = this.#signIn;
    this.#signInView.hide();
    this.#chat = new ChatView({
      root: document.querySelector("#chat-view"),
      client: new CicadaClient({
        url: websocketUrl,
        tokenIn,
        knowledgeBase,
        token: (options) => this.#signIn.accessToken(options),
      }),
      memory: new TabMemory(user),
      user,
      examples: knowledgeBase ? [] : examples,
      signOut: () => this.#signOut(),
      sessionEnded: () => this.#endChat("Your session has ended. Sign in again and the conversation goes on."),
    });
    this.#chat.start();
  }

  #signOut() {
    this.#endChat();
    this.#signIn.signOut();
  }

  #endChat(sentence) {
    this.#chat.end();
    this.#signInView.show(sentence);
  }
}

const starting = document.querySelector("#starting");
try {
  new Page(await loadConfig()).start();
  starting.hidden = true;
} catch (error) {
  console.error(error);
  starting.textContent = "The page could not be set up: its config.json is missing or wrong. Reload the page to try again.";
}
