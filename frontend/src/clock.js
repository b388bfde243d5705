// Durations that go on are said anew each second, by the server's clock and not this machine's.

const language = document.documentElement.lang;
const ahead = Date.now() - Date.parse(document.documentElement.dataset.now);

function say(amount, unit) {
  const format = new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "short" });
  return format.format(amount).replace(/\s/g, "\u202f");
}

function duration(seconds) {
  if (seconds < 60) return say(seconds, "second");
  if (seconds < 3600) {
    return `${say(Math.floor(seconds / 60), "minute")} ${say(seconds % 60, "second")}`;
  }
  return `${say(Math.floor(seconds / 3600), "hour")} ${say(Math.floor(seconds / 60) % 60, "minute")}`;
}

export function tick() {
  const once = () => {
    const now = Date.now() - ahead;
    for (const time of document.querySelectorAll("time[data-since]")) {
      const text = duration(Math.max(0, Math.floor((now - Date.parse(time.dateTime)) / 1000)));
      if (time.textContent !== text) time.textContent = text;
    }
  };
  once();
  setInterval(once, 1000);
}
