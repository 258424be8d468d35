import { applyAppearance } from "./appearance.js";
import { BrowserStorage } from "./browser-storage.js";
import { addressWith } from "./conversation-address.js";
import { CicadaClient, CicadaError, SENTENCES } from "../javascript/index.js";
import { KeptSignIn } from "./kept-sign-in.js";
import { SignInView } from "./sign-in-view.js";
import { SignIn } from "./signin.js";
import { TabMemory } from "./tab-memory.js";
import { loadWords, say, sayAll } from "./words.js";

/**
 * Reads `config.json` beside this page: `websocketUrl`, `tokenIn` ("query" or "subprotocol"), `cognitoUrl`, `clientId`,
 * `userPoolId`, `mfa` ("off", "optional" or "required": whether users sign in in two steps), and optionally
 * `identityProvider` and `signInUrl` (the provider's name, and the authorization server that leads to it), `users` (sample
 * users), `administrators` (the group of those who are shown the administration) and `examples` (questions to begin with). The
 * page's own address may name a knowledge base, as `?knowledgeBase=shop`; without that the examples are shown. `?conversation=…`
 * names the open conversation; behind `#` it may name one that somebody shares, and a document that is open.
 */
async function loadConfig() {
  const response = await fetch("config.json", { cache: "no-store" });
  if (!response.ok) throw new Error(`config.json: ${response.status}`);
  return response.json();
}

/** What only a signed-in user needs is not loaded before the form is filled in. */
const loadChat = () => import("./chat-view.js");

class Page {
  #config;
  #storage = new BrowserStorage(() => sessionStorage);
  #device = new KeptSignIn();
  #signIn;
  #signInView;
  #chat = null;
  #memory = null;

  constructor(config) {
    this.#config = config;
    this.#signIn = new SignIn({
      ...config,
      page: `${location.origin}/`,
      storage: this.#storage,
      locks: navigator.locks,
      channel: new BroadcastChannel("cicada.session"),
      device: this.#device,
      ended: () => this.#endChat({ forget: true, sentence: say("page.signedOutElsewhere") }),
      joined: () => this.#startChat(),
    });
    this.#signInView = new SignInView({
      root: document.querySelector("#sign-in-view"),
      signIn: this.#signIn,
      users: config.users,
      device: this.#device,
      signedIn: () => this.#startChat(),
    });
    document.querySelector("#sign-in-form").addEventListener("input", () => loadChat().catch(console.error), { once: true });
  }

  async start() {
    const [failed, ended] = [await this.#comeBack(), await this.#join()];
    const sentence = failed || ended;
    if (this.#signIn.user) await this.#startChat();
    else this.#signInView.show(sentence);
  }

  /** From the identity provider; what to say if the user is not signed in by that. */
  async #comeBack() {
    const replace = (search) => history.replaceState(null, "", `${location.pathname}${search}`);
    try {
      await this.#signIn.finishAtProvider(location.search, replace);
      return "";
    } catch (error) {
      if (!(error instanceof CicadaError)) throw error;
      return error.message;
    }
  }

  /** What to say if the device kept a sign-in that has ended. Where Cognito cannot be reached the chat waits for it. */
  async #join() {
    try {
      await this.#signIn.join();
      return "";
    } catch (error) {
      if (!(error instanceof CicadaError)) throw error;
      return error.message;
    }
  }

  async #startChat() {
    const ChatView = await this.#chatView();
    // Meanwhile it may have begun in another way, or ended.
    if (ChatView && this.#signIn.user && !this.#chat) this.#show(ChatView);
  }

  async #chatView() {
    try {
      return (await loadChat()).ChatView;
    } catch (error) {
      console.error(error);
      this.#signInView.show(say("page.notLoaded"));
      return null;
    }
  }

  #show(ChatView) {
    const { websocketUrl, tokenIn, administrators, examples = [] } = this.#config;
    const { user } = this.#signIn;
    this.#memory = new TabMemory(user, this.#storage);
    this.#signInView.hide();
    this.#chat = new ChatView({
      root: document.querySelector("#chat-view"),
      client: new CicadaClient({
        url: websocketUrl,
        tokenIn,
        sentences: Object.fromEntries(Object.keys(SENTENCES).map((name) => [name, say(`client.${name}`)])),
        token: async (options) => ({ token: await this.#signIn.accessToken(options), validMs: this.#signIn.validMs }),
      }),
      memory: this.#memory,
      signIn: this.#signIn,
      mfa: this.#signIn.federated ? "off" : this.#config.mfa,
      administers: Boolean(administrators) && this.#signIn.groups.includes(administrators),
      examples,
      signOut: () => this.#signOut(),
      sessionEnded: (signedOut) => this.#sessionEnded(signedOut),
    });
    this.#chat.start();
  }

  async #signOut() {
    const { logout } = this.#signIn;
    this.#endChat({ forget: true });
    await this.#signIn.signOut();
    leaveFor(logout);
  }

  /** `signedOut`: by the user, everywhere, or by an administrator; else the tokens have expired. */
  async #sessionEnded(signedOut) {
    const { logout } = this.#signIn;
    const forgotten = this.#signIn.forget();
    const sentence = say(signedOut ? "page.signedOut" : "page.sessionEnded");
    this.#endChat({ forget: signedOut, sentence });
    await forgotten;
    if (signedOut) leaveFor(logout);
  }

  /** `forget`: nothing of the session stays, else what the tab needs to go on with it. */
  #endChat({ forget, sentence }) {
    this.#chat?.end();
    this.#chat = null;
    if (forget) this.#memory?.forget();
    // It may name a conversation and a document.
    if (forget) history.replaceState(null, "", addressWith(null));
    this.#signInView.show(sentence);
  }
}

/** Without a network the browser would show its own error; the session there then ends by itself, within an hour. */
function leaveFor(address) {
  if (address && navigator.onLine) location.assign(address);
}

applyAppearance();
const starting = document.querySelector("#starting");
const spoken = loadWords();
try {
  const config = await loadConfig();
  await spoken;
  sayAll(document.body);
  await new Page(config).start();
  starting.hidden = true;
} catch (error) {
  console.error(error);
  await spoken;
  starting.textContent = say("page.notConfigured");
}
