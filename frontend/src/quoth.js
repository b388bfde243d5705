// Everything here only adds to pages that work without it.

import htmx from "htmx.org";
import "htmx.org/dist/ext/hx-sse.js";
import { countCalls } from "./count.js";
import { tick } from "./clock.js";
import { tellWhenLost } from "./live.js";
import { sendOnce } from "./once.js";

// A server that restarts is back within seconds: whoever waits a minute has missed it.
htmx.config.sse = { reconnectDelay: 500, reconnectMaxDelay: 5000 };

countCalls(document.querySelector("form[data-count]"));
tellWhenLost(document.getElementById("live"), document.getElementById("lost"));
sendOnce();
tick();
