// Pages work without this; with it, the check page fills live and the form counts its calls.
"use strict";

const live = document.querySelector("[data-events]");
if (live) {
  const events = new EventSource(live.dataset.events);
  events.addEventListener("change", (event) => {
    for (const [id, html] of Object.entries(JSON.parse(event.data))) {
      const part = document.getElementById(id);
      if (part && !part.contains(document.activeElement)) part.innerHTML = html;
    }
  });
  events.addEventListener("over", () => {
    events.close();
    location.reload();
  });
}

const form = document.querySelector('form[action="/checks"]');
if (form) {
  const count = () => {
    const prompts = form.prompts.value.split("\n").filter((line) => line.trim()).length;
    const engines = form.querySelectorAll('input[name="engines"]:checked').length;
    const calls = prompts * engines * (Number(form.samples.value) || 0);
    document.getElementById("calls").value = calls ? calls.toLocaleString(document.documentElement.lang) : "—";
  };
  form.addEventListener("input", count);
  count();
}
