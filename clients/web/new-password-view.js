import { element } from "./element.js";
import { StepForm } from "./step-form.js";
import { say } from "./words.js";

/**
 * The form for the first sign-in, with an initial password: the user chooses another one. `choose` takes the password
 * and rejects with a sentence; `back` leaves without choosing.
 */
export function newPasswordForm({ user, choose, back }) {
  const password = passwordField("password");
  const repeated = passwordField("repeated");
  password.setAttribute("aria-describedby", "password-rule");
  return new StepForm({
    title: say("newPassword.title"),
    lede: say("newPassword.why"),
    content: [
      // Password managers look for the name that a password belongs to.
      element("input", { name: "username", autocomplete: "username", value: user, hidden: true }),
      element("label", {}, say("newPassword.field"), " ", password),
      element("p", { className: "rule", id: "password-rule" }, say("newPassword.rule")),
      element("label", {}, say("newPassword.repeat"), " ", repeated),
    ],
    first: password,
    labels: [say("signIn.saveAndGo"), say("newPassword.saving")],
    send: async () => {
      if (password.value !== repeated.value) throw differing(repeated);
      await choose(password.value);
    },
    back: { label: say("signIn.back"), action: back },
  });
}

function differing(field) {
  return Object.assign(new Error(say("newPassword.differ")), { field });
}

function passwordField(name) {
  return element("input", { name, type: "password", autocomplete: "new-password", required: true });
}
