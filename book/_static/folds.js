// Opens what is folded where a link leads into it, and answers for print: a reader of paper cannot open them.
(() => {
  const open = (element) => {
    for (let fold = element && element.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  };

  const follow = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target || !target.closest("details")) return;
    open(target);
    target.scrollIntoView();
  };

  window.addEventListener("hashchange", follow);
  window.addEventListener("load", follow);
  window.addEventListener("beforeprint", () => {
    for (const answer of document.querySelectorAll("details.answer")) answer.open = true;
  });
})();
