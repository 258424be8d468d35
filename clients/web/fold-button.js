import { element } from "./element.js";
import { say } from "./words.js";

/** A button that unfolds a text which the style sheet cuts while it has not the class `open`. */
export function foldButton(text) {
  const button = element("button", { className: "link fold", type: "button" });
  const show = () => {
    const open = text.classList.contains("open");
    button.setAttribute("aria-expanded", String(open));
    button.textContent = say(open ? "act.less" : "act.more");
  };
  button.addEventListener("click", () => {
    text.classList.toggle("open");
    show();
  });
  show();
  // Whether there is more to read depends on the width, which is known once the card is laid out.
  new ResizeObserver(() => {
    const isCut = text.querySelector(".cut") || text.scrollHeight > text.clientHeight + 1;
    if (!text.classList.contains("open")) button.hidden = !isCut;
  }).observe(text);
  return button;
}
