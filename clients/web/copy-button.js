import { element } from "./element.js";
import { say } from "./words.js";

/** A button that copies `textOf(button)`; null where the browser has no clipboard. */
export function copyButton(textOf, label = say("act.copy")) {
  if (!navigator.clipboard) return null;
  const button = element("button", { className: "link copy", type: "button" }, label);
  button.addEventListener("click", async () => {
    button.textContent = await copied(textOf(button));
    setTimeout(() => (button.textContent = label), 1_500);
  });
  return button;
}

/** Copies the text; what to say of it. */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return say("act.copied");
  } catch {
    return say("act.copyingForbidden");
  }
}
