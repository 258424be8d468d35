/** Renders answers with the page's own modules: `[{text, unsupported?}]` becomes what can be seen of each. */
async (answers) => {
  const modules = new URL("./rendering.js", document.querySelector("script[type=module]").src);
  const { AnswerText, markdown } = await import(modules);

  const cite = (n) => {
    const link = document.createElement("a");
    Object.assign(link, { className: "citation", href: `#source-${n}`, textContent: `[${n}]` });
    link.dataset.n = n;
    return link;
  };
  const answer = () => {
    const root = document.body.appendChild(document.createElement("div"));
    return { root, view: new AnswerText(root, cite) };
  };

  /** Word by word; `disturbed` counts the changes of first blocks behind which two others stand already. */
  const streamed = (text) => {
    const { root, view } = answer();
    let disturbed = 0;
    const observer = new MutationObserver(() => {});
    for (let end = 1; end < text.length; end += 3) {
      view.show(text.slice(0, end), { growing: true });
      disturbed += observer.takeRecords().length;
      if (root.children.length > 2) observer.observe(root.children[0], { subtree: true, childList: true, characterData: true });
    }
    view.show(text);
    root.normalize();
    return { html: root.innerHTML, disturbed };
  };

  return answers.map(({ text, unsupported }) => {
    const { root, view } = answer();
    view.show(text, { unsupported });
    const marks = [...root.querySelectorAll(".unsupported")].map((each) => each.textContent).join("");
    const all = [...root.querySelectorAll("*")];
    root.normalize();
    return {
      html: root.innerHTML,
      library: markdown.parse(text),
      streamed: unsupported ? null : streamed(text),
      citations: root.querySelectorAll(".citation").length,
      marks: marks.replaceAll(" (Not supported by the passages) ", ""),
      tags: [...new Set(all.map((each) => each.localName))],
      attributes: [...new Set(all.flatMap((each) => each.getAttributeNames()))],
      addresses: all.filter((each) => each.href && !each.dataset.n).map((each) => each.href),
    };
  });
}
