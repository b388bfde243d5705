// Everything here only adds to pages that work without it.

import "htmx.org";
import "htmx.org/dist/ext/hx-sse.js";
import { countCalls } from "./count.js";
import { tick } from "./clock.js";

countCalls(document.querySelector("form[data-count]"));
tick();
