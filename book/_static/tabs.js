// sphinx-design keeps tabs of one group in step by keyboard and remembers the choice from version 0.8 on. With Python 3.10
// the book is rendered by 0.6, which does so only for clicks, and only as long as the window is open.
(() => {
  const prefix = "sphinx-design-tab-id-";

  // Storage may be forbidden; the tabs work without it.
  const attempt = (action) => {
    try {
      action();
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
    }
  };

  attempt(() => {
    for (const key of Object.keys(localStorage)) {
      if (key.startsWith(prefix) && sessionStorage.getItem(key) === null) {
        sessionStorage.setItem(key, localStorage.getItem(key));
      }
    }
  });

  document.addEventListener("change", (event) => {
    const label = event.target.nextElementSibling;
    if (!label || !label.classList.contains("sd-tab-label") || !label.dataset.syncGroup) return;
    const { syncGroup, syncId } = label.dataset;
    for (const other of document.querySelectorAll(".sd-tab-label")) {
      if (other.dataset.syncGroup === syncGroup && other.dataset.syncId === syncId) {
        other.previousElementSibling.checked = true;
      }
    }
    attempt(() => {
      sessionStorage.setItem(prefix + syncGroup, syncId);
      localStorage.setItem(prefix + syncGroup, syncId);
    });
  });
})();
