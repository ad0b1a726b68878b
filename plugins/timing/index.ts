import { AsyncLocalStorage } from "node:async_hooks";
import { definePlugin, reply, type Plugin, type Request, type Rowhouse } from "rowhouse/plugin-api";
import { bundledSettings, sqlTraces, type SqlTrace } from "rowhouse/plugin-api/contracts";

interface Measured {
  statements: number;
  ms: number;
  isSent: boolean;
}

/** The request that the current code is part of. */
interface Current {
  readonly request: Request;
  readonly measured: Measured;
}

/** Statements are published in the asynchronous context of their caller. */
const current = new AsyncLocalStorage<Current>();

function addStatement({ startedMs, endedMs }: SqlTrace): void {
  const measured = current.getStore()?.measured;
  if (measured === undefined) return;
  measured.statements += 1;
  measured.ms += endedMs - startedMs;
}

/** The time in SQL of each request, for logs, limits and the header `Server-Timing`. */
export default definePlugin({
  name: "timing",
  deterministic: true,
  unguarded: true,
  provides: ["timing"],
  optional: ["replyCache"],
  settings: bundledSettings.timing,
  setup(rowhouse) {
    const measuredBy = new WeakMap<Request, Measured>();
    rowhouse.provide("timing", {
      sqlOf: (request) => measuredBy.get(request) ?? null,
      currentRequest: () => current.getStore()?.request ?? null,
      isMeasuring: isMeasured(rowhouse),
    });
    const header = rowhouse.setting("server_timing") ? { finish_reply: serverTiming(rowhouse) } : {};
    if (!isMeasured(rowhouse)) return header;
    return {
      ...header,
      startup: () => sqlTraces.subscribe(addStatement),
      shutdown: () => sqlTraces.unsubscribe(addStatement),
      actor_from_request: {
        order: "early",
        run(_rowhouse, { request }) {
          const outer = current.getStore()?.measured;
          // A request inside the process belongs to the request that makes it. A connection that is used again still
          // has the context of its last request.
          const measured = outer?.isSent === false ? outer : { statements: 0, ms: 0, isSent: false };
          measuredBy.set(request, measured);
          if (measured !== outer) current.enterWith({ request, measured });
        },
      },
      reply_sent(_rowhouse, { request }) {
        const measured = measuredBy.get(request);
        if (measured !== undefined) measured.isSent = true;
      },
    };
  },
});

/** Before Node 24, an AsyncLocalStorage slows down every promise. */
const FIRST_FAST_NODE = 24;

function isMeasured(rowhouse: Rowhouse): boolean {
  const wanted = rowhouse.setting("sql_timing");
  if (wanted !== "auto") return wanted === "on";
  // The plugin `limits` may be switched off.
  const isNeeded =
    rowhouse.setting("server_timing") || Number(rowhouse.settings.get("max_sql_seconds")?.value ?? 0) > 0;
  return isNeeded || Number(process.versions.node.split(".")[0]) >= FIRST_FAST_NODE;
}

const serverTiming = (rowhouse: Rowhouse): NonNullable<Plugin["finish_reply"]> => ({
  order: "late",
  run(_rowhouse, { value, request }) {
    const sql = rowhouse.serviceIfAny("timing")?.sqlOf(request) ?? null;
    const cache = rowhouse.serviceIfAny("replyCache")?.stateOf(request) ?? null;
    const metrics = [
      `total;dur=${shown(performance.now() - request.receivedMs)}`,
      ...(sql === null ? [] : [`sql;dur=${shown(sql.ms)}`]),
      ...(cache === null ? [] : [`cache;desc="${cache}"`]),
    ];
    return reply.withHeaders(value, { "server-timing": metrics.join(", ") });
  },
});

const shown = (ms: number): string => ms.toFixed(1);
