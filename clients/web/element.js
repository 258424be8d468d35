/**
 * A DOM element. Strings become text nodes, so text of the server is never HTML; null and undefined are left out.
 *
 * Properties are set on the element, except `data` (dataset), `aria` (aria-*) and `on` (listeners).
 */
export function element(tag, { data = {}, aria = {}, on = {}, ...properties } = {}, ...children) {
  const made = document.createElement(tag);
  Object.assign(made, properties);
  Object.assign(made.dataset, data);
  for (const [name, value] of Object.entries(aria)) made.setAttribute(`aria-${name}`, value);
  for (const [type, listener] of Object.entries(on)) made.addEventListener(type, listener);
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}
