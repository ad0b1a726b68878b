import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { PluginInput } from "rowhouse";
import { definePlugin, type RouteFor } from "rowhouse/plugin-api";

/** Identifies this process. A page that sees another id later is out of date. */
const BOOT = randomUUID();
const RETRY_MS = 200;
const KEEP_ALIVE_MS = 15_000;

const SCRIPT = `let boot = null;
new EventSource(new URL("events", import.meta.url)).addEventListener("boot", ({ data }) => {
  if (boot !== null && boot !== data) location.reload();
  boot = data;
});
`;

const script: RouteFor<"instance"> = {
  name: "dev-script",
  path: "/-/dev/refresh.js",
  target: "instance",
  view: () => ({
    status: 200,
    headers: { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-store" },
    body: SCRIPT,
  }),
};

const events: RouteFor<"instance"> = {
  name: "dev-events",
  path: "/-/dev/events",
  target: "instance",
  view: ({ request }) => ({
    status: 200,
    headers: { "content-type": "text/event-stream", "cache-control": "no-store, no-transform" },
    body: boots(request.signal),
  }),
};

async function* boots(signal: AbortSignal): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\nevent: boot\ndata: ${BOOT}\n\n`;
  while (!signal.aborted) {
    await sleep(KEEP_ALIVE_MS, undefined, { signal }).catch(() => undefined);
    yield ": still here\n\n";
  }
}

/** Makes pages reload after a restart of the server. Only for `rowhouse dev`. */
export const devRefresh: PluginInput = {
  plugin: definePlugin({
    name: "dev-refresh",
    register_routes: () => [script, events] as const,
    extra_js_urls: (rowhouse) => ({ url: rowhouse.urls.path(script.path as string), module: true }),
  }),
};
