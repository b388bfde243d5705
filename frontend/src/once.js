// A form is sent once: what is clicked while it is on its way changes nothing, and looks so.

export function sendOnce() {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method !== "post") return;
    if ("sent" in form.dataset) {
      event.preventDefault();
      return;
    }
    form.dataset.sent = "";
    form.setAttribute("aria-busy", "true");
  });

  // A page that comes back from the browser's memory can be sent again.
  addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) {
      delete form.dataset.sent;
      form.removeAttribute("aria-busy");
    }
  });
}
