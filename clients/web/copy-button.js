import { element } from "./element.js";

/** A button that copies `textOf(button)`; null where the browser has no clipboard. */
export function copyButton(textOf, label = "Copy") {
  if (!navigator.clipboard) return null;
  const button = element("button", { className: "link copy", type: "button" }, label);
  button.addEventListener("click", async () => {
    button.textContent = await copied(textOf(button));
    setTimeout(() => (button.textContent = label), 1_500);
  });
  return button;
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied";
  } catch {
    return "Copying is not allowed here";
  }
}
