// The form says how many calls it comes to while it is filled in.

export function countCalls(form) {
  if (!form) return;
  const number = new Intl.NumberFormat(document.documentElement.lang);
  const say = (name, value) => {
    form.querySelector(`[data-count-${name}]`).textContent = value ? number.format(value) : "–";
  };

  const count = () => {
    const lines = form.elements.prompts.value.split("\n").map((line) => line.trim());
    const prompts = new Set(lines.filter(Boolean)).size;
    const engines = form.querySelectorAll("input[name=engines]:checked").length;
    const samples = Math.max(0, Math.floor(Number(form.elements.samples.value) || 0));
    say("prompts", prompts);
    say("engines", engines);
    say("calls", prompts * engines * samples);
  };

  form.addEventListener("input", count);
  count();
}
