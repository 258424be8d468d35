import { element } from "./element.js";
import { StepForm } from "./step-form.js";

/** What the user pool asks of a password. */
const RULE = "At least 12 characters: lowercase, uppercase, numbers, symbols.";

/**
 * The form for the first sign-in, with an initial password: the user chooses another one. `choose` takes the password
 * and rejects with a sentence; `back` leaves without choosing.
 */
export function newPasswordForm({ user, choose, back }) {
  const password = passwordField("password");
  const repeated = passwordField("repeated");
  password.setAttribute("aria-describedby", "password-rule");
  return new StepForm({
    title: "A new password",
    lede: "You signed in with an initial password. Choose the one that you will use from now on.",
    content: [
      // Password managers look for the name that a password belongs to.
      element("input", { name: "username", autocomplete: "username", value: user, hidden: true }),
      element("label", {}, "New password ", password),
      element("p", { className: "rule", id: "password-rule" }, RULE),
      element("label", {}, "Repeat it ", repeated),
    ],
    first: password,
    labels: ["Save and sign in", "Saving…"],
    send: async () => {
      if (password.value !== repeated.value) throw differing(repeated);
      await choose(password.value);
    },
    back: { label: "Back to sign-in", action: back },
  });
}

function differing(field) {
  return Object.assign(new Error("The two passwords differ. Type the same one twice."), { field });
}

function passwordField(name) {
  return element("input", { name, type: "password", autocomplete: "new-password", required: true });
}
