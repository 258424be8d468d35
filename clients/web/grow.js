/**
 * Makes a node like a fresh one and leaves in it what is the same, so that a selection, the focus and what is being
 * read out stay. Returns the node that stands there now.
 */
export function grow(node, fresh) {
  if (!isSameKind(node, fresh)) {
    node.replaceWith(fresh);
    return fresh;
  }
  if (node.nodeType === Node.TEXT_NODE) growText(node, fresh.data);
  else growElement(node, fresh);
  return node;
}

/** A citation of another passage has other listeners; a table that the user has sorted begins anew. */
function isSameKind(node, fresh) {
  const same = (name) => node.dataset?.[name] === fresh.dataset?.[name];
  return node.nodeName === fresh.nodeName && same("n") && same("sorted");
}

function growElement(node, fresh) {
  for (const { name } of [...node.attributes]) if (!fresh.hasAttribute(name)) node.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (node.getAttribute(name) !== value) node.setAttribute(name, value);
  const wanted = [...fresh.childNodes];
  while (node.childNodes.length > wanted.length) node.lastChild.remove();
  wanted.forEach((child, at) => (node.childNodes[at] ? grow(node.childNodes[at], child) : node.append(child)));
}

/** Only what differs is replaced: a selection that begins before it stays. */
function growText(node, text) {
  const old = node.data;
  if (old === text) return;
  let same = 0;
  while (same < old.length && old[same] === text[same]) same += 1;
  node.replaceData(same, old.length - same, text.slice(same));
}
