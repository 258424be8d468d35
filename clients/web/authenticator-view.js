import { element } from "./element.js";
import { codeField, StepForm } from "./step-form.js";
import { say, sayAround } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
/** The margin of a QR code, in modules: ISO/IEC 18004. */
const QUIET = 4;

/** The form for the code of a user who has an authenticator app. `enter(code)` rejects with a sentence. */
export function codeForm({ enter, back }) {
  const code = codeField();
  return new StepForm({
    title: say("code.title"),
    lede: say("code.enter"),
    content: [element("label", {}, say("code.field"), " ", code)],
    first: code,
    labels: [say("signIn.go"), say("signIn.busy")],
    send: () => enter(code.value),
    back: { label: say("signIn.back"), action: back },
  });
}

/**
 * The form that adds an authenticator app. `added()` follows the first right code, `save` labels the button, and `back`
 * is `{label, action}`.
 */
export async function authenticatorForm({ authenticator, lede, save, added, back }) {
  const code = codeField();
  const open = element("a", { href: authenticator.address }, say("app.open"));
  return new StepForm({
    title: say("app.title"),
    lede,
    content: [
      await picture(authenticator.address),
      element("p", { className: "rule" }, sayAround("app.noCamera", { open })),
      element("code", { className: "key", dir: "ltr" }, authenticator.secret.replace(/.{4}(?=.)/g, "$& ")),
      element("label", {}, say("app.code"), " ", code),
    ],
    first: code,
    labels: [save, say("app.checking")],
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
  svg.setAttribute("aria-label", say("app.picture"));
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
