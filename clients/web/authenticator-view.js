import { element } from "./element.js";
import { codeField, StepForm } from "./step-form.js";

const SVG = "http://www.w3.org/2000/svg";
/** The margin of a QR code, in modules: ISO/IEC 18004. */
const QUIET = 4;

/** The form for the code of a user who has an authenticator app. `enter(code)` rejects with a sentence. */
export function codeForm({ enter, back }) {
  const code = codeField();
  return new StepForm({
    title: "Your code",
    lede: "Enter the six digits that your authenticator app shows now.",
    content: [element("label", {}, "Code ", code)],
    first: code,
    labels: ["Sign in", "Signing in…"],
    send: () => enter(code.value),
    back: { label: "Back to sign-in", action: back },
  });
}

/**
 * The form that adds an authenticator app. `added()` follows the first right code, `save` labels the button, and `back`
 * is `{label, action}`.
 */
export async function authenticatorForm({ authenticator, lede, save, added, back }) {
  const code = codeField();
  return new StepForm({
    title: "Two-step sign-in",
    lede,
    content: [
      await picture(authenticator.address),
      element("p", { className: "rule" }, "No camera? ", element("a", { href: authenticator.address }, "Open your app"), ", or type this key into it:"),
      element("code", { className: "key" }, authenticator.secret.replace(/.{4}(?=.)/g, "$& ")),
      element("label", {}, "Code that the app shows ", code),
    ],
    first: code,
    labels: [save, "Checking…"],
    send: async () => {
      await authenticator.confirm(code.value);
      added();
    },
    back,
  });
}

/** The QR code of a text, by elements: the page's policy lets no text become markup, and no image come from `data:`. */
async function picture(text) {
  const { qrcode } = await import("qrcode-generator");
  const code = qrcode(0, "M");
  code.addData(text);
  code.make();
  const size = code.getModuleCount();
  const svg = svgElement("svg", { class: "qr", viewBox: `${-QUIET} ${-QUIET} ${size + 2 * QUIET} ${size + 2 * QUIET}`, role: "img" });
  svg.setAttribute("aria-label", "QR code for your authenticator app");
  svg.append(svgElement("path", { d: dark(code, size) }));
  return svg;
}

function dark(code, size) {
  const numbers = Array.from({ length: size }, (_, number) => number);
  return numbers.flatMap((row) => numbers.filter((column) => code.isDark(row, column)).map((column) => `M${column} ${row}h1v1h-1z`)).join("");
}

function svgElement(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
