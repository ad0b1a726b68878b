import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { definePlugin } from "rowhouse/plugin-api";
import type { Rowhouse, SqlTrace } from "rowhouse/plugin-api";
import { withTraces } from "./report.js";
import type { TracedRequest } from "./report.js";

const CHANNEL = "rowhouse:sql";

/** The request in whose course something runs, if it asked to be traced. */
const current = new AsyncLocalStorage<TracedRequest>();

const note = (trace: unknown): void => void current.getStore()?.traces.push(trace as SqlTrace);

/** `?_trace=1` under the setting `trace_debug`: the statements behind a page, with their times. */
export default definePlugin({
  name: "trace",
  settings: [
    { name: "trace_debug", default: false, help: "Show the SQL behind a page, and its time, for ?_trace=1" },
  ],

  startup: (rowhouse) => {
    if (isOn(rowhouse)) subscribe(CHANNEL, note);
  },
  shutdown: () => void unsubscribe(CHANNEL, note),

  http_wrapper: (rowhouse) => {
    if (!isOn(rowhouse)) return null;
    return (request, _response, next) => {
      if (!asksForTrace(request.originalUrl)) return next();
      current.run({ startedMs: performance.now(), traces: [] }, next);
    };
  },

  finish_reply(_rowhouse, { value }) {
    const traced = current.getStore();
    return traced === undefined ? value : withTraces(value, traced);
  },
});

const isOn = (rowhouse: Rowhouse): boolean => rowhouse.setting("trace_debug");

/** Only the literal pair counts. */
const asksForTrace = (url: string): boolean =>
  url
    .slice(url.indexOf("?") + 1)
    .split("&")
    .includes("_trace=1");
