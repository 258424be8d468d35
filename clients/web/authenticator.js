const ISSUER = "Cicada";
const SECOND_STEP = "SOFTWARE_TOKEN_MFA";

/** An authenticator app that is about to be added: `secret` is for the app, `confirm(code)` takes its first code. */
export class Authenticator {
  constructor({ user, secret, confirm }) {
    this.user = user;
    this.secret = secret;
    this.confirm = confirm;
  }

  /** What apps read: https://github.com/google/google-authenticator/wiki/Key-Uri-Format */
  get address() {
    const label = `${ISSUER}:${encodeURIComponent(this.user)}`;
    return `otpauth://totp/${label}?${new URLSearchParams({ secret: this.secret, issuer: ISSUER })}`;
  }
}

/** The second step of a signed-in user, which the user may switch. */
export class SecondStep {
  #signIn;

  constructor(signIn) {
    this.#signIn = signIn;
  }

  async isOn() {
    const { UserMFASettingList: list } = await this.#signIn.call("GetUser");
    return Boolean(list?.includes(SECOND_STEP));
  }

  /** The `Authenticator` to add; once it is confirmed, the second step is on. */
  async begin() {
    const { SecretCode: secret } = await this.#signIn.call("AssociateSoftwareToken");
    return new Authenticator({ user: this.#signIn.user, secret, confirm: (code) => this.#confirm(code) });
  }

  async turnOff() {
    await this.#prefer(false);
  }

  async #confirm(code) {
    await this.#signIn.call("VerifySoftwareToken", { UserCode: code });
    await this.#prefer(true);
  }

  #prefer(on) {
    return this.#signIn.call("SetUserMFAPreference", { SoftwareTokenMfaSettings: { Enabled: on, PreferredMfa: on } });
  }
}
