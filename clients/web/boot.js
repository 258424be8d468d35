/** Says which file of the page did not come. It is a file of its own, because it has to run when the page does not. */
addEventListener(
  "error",
  ({ target }) => {
    const file = target?.src ?? target?.href;
    if (!file || !["SCRIPT", "LINK"].includes(target.tagName)) return;
    const name = new URL(file).pathname.split("/").pop();
    const tell = () => {
      const notice = Object.assign(document.createElement("p"), { className: "starting", role: "alert" });
      notice.textContent = `The page could not be loaded: ${name} did not come. Reload the page to try again.`;
      document.body.prepend(notice);
    };
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", tell);
    else tell();
  },
  true,
);
