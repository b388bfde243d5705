// A form is sent once: what is clicked while it is on its way changes nothing, and looks so.

// Whoever has stopped it, or never got a reply, can send it again; the server makes one of the two.
const PATIENCE = 10_000;

function free(form) {
  delete form.dataset.sent;
  form.removeAttribute("aria-busy");
}

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
    setTimeout(free, PATIENCE, form);
  });

  // A page that comes back from the browser's memory can be sent again.
  addEventListener("pageshow", () => {
    document.querySelectorAll("form[data-sent]").forEach(free);
  });
}
