/** The structure of markup, `[html]`, without what the page adds to that of the library. */
(pages) => {
  const ADDED = ".unseen, .code-head, .table-tools, .sort";
  const SAFE = /^(?:https?|mailto):/;

  const leaf = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data.replace(/\s+/g, " ").replace(/(?<=\[\d+)[,;] ?(?=\d)/g, "][");
    if (node.matches(ADDED)) return "";
    if (node.matches("input, .box")) return node.checked || node.textContent === "☑" ? "[x]" : "[ ]";
    return node.localName === "img" ? link(node.getAttribute("src"), node.alt, "!") : null;
  };
  const link = (href, label, mark = "") => {
    const url = URL.canParse(href) ? new URL(href) : null;
    if (!SAFE.test(url?.href)) return `${mark}[${label}](${href})`;
    return `<a ${url.href}>${label || url.pathname}</a>`;
  };
  const outline = (node, highest) => {
    const seen = leaf(node);
    if (seen !== null) return seen;
    const within = [...node.childNodes].map((child) => outline(child, highest)).join("");
    if (node.localName === "a" && !node.dataset.n) return link(node.getAttribute("href"), within.replace(/<\/?a[^>]*>/g, ""));
    if (node.matches("body, span, div, a")) return within;
    const depth = /^h([1-6])$/.exec(node.localName);
    const start = node.localName === "ol" ? ` ${node.start}` : "";
    const tag = depth ? `h+${Math.min(2, depth[1] - highest)}` : node.localName + start;
    return `<${tag}>${within.trim()}</>`;
  };

  return pages.map((html) => {
    const { body } = new DOMParser().parseFromString(html, "text/html");
    const headings = [...body.children].map((each) => /^H([1-6])$/.exec(each.nodeName)?.[1]).filter(Boolean);
    return outline(body, Math.min(...headings)).replace(/\s*(<(?:p|li|ul|ol \d+|blockquote|pre|table|thead|tbody|tr|t[hd]|h\+\d|br|hr|\/)>)(?: (?=<|$))?/g, "$1");
  });
}
