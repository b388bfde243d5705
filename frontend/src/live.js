// Says so while the page is cut off from the server; the check itself does not mind.

export function tellWhenLost(live, lost) {
  if (!live || !lost) return;
  live.addEventListener("htmx:sse:error", () => { lost.hidden = false; });
  live.addEventListener("htmx:sse:after:connection", () => { lost.hidden = true; });
  live.addEventListener("htmx:error", () => { lost.hidden = false; });
}
