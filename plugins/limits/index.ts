import {
  definePlugin,
  reply,
  RowhouseError,
  StartupError,
  type Request,
  type Rowhouse,
} from "rowhouse/plugin-api";
import { bundledSettings } from "rowhouse/plugin-api/contracts";
import { isBodyStream } from "rowhouse/plugin-api/http";
import { keepOverReloads } from "rowhouse/plugin-api/kernel";
import { clientOf } from "./client.js";
import { endingWith, RunningInWorkers, RunningRequests } from "./running.js";
import { QuotaWindow, rateLimitHeaders, type Left } from "./window.js";

/** A client has used up a limit. */
class TooManyRequests extends RowhouseError {
  readonly status = 429;
  readonly code = "TOO_MANY_REQUESTS";

  constructor(
    message: string,
    override readonly headers: Readonly<Record<string, string>>,
  ) {
    super(message);
  }
}

/** Answers of these make no load, and supervisors must get them. */
const UNLIMITED = /^\/-\/(?:health$|ready$|metrics$|static\/|static-plugins\/)/;

/** Limits of requests, of time in SQL, and of requests at once, for each actor and each anonymous address. */
export default definePlugin({
  name: "limits",
  deterministic: true,
  unguarded: true,
  optional: ["timing"],
  settings: bundledSettings.limits,
  setup(rowhouse) {
    const { requests, sql } = windowsOf(rowhouse);
    const { running, runningSql, sqlInWorkers } = countersOf(rowhouse);
    if (requests === null && sql === null && running.limit === 0 && runningSql.limit === 0) return {};
    const clients = new WeakMap<Request, string>();
    const quotas = new WeakMap<Request, Left>();
    const end = (request: Request): void => {
      const client = clients.get(request);
      if (client === undefined) return;
      clients.delete(request);
      running.end(client);
      if (hasSql(request)) runningSql.end(client);
    };
    return {
      startup: () => (sql === null ? undefined : requireTiming(rowhouse)),
      shutdown: () => sqlInWorkers?.close(),
      intercept_request: {
        order: "early",
        async run(_rowhouse, { request, actor }) {
          if (UNLIMITED.test(request.path)) return null;
          const client = clientOf(request, actor);
          const used = (await requests?.use(client, 1)) ?? null;
          if (used !== null) quotas.set(request, used);
          if (used?.isOver === true) throw overLimit("Too many requests", used);
          const time = (await sql?.left(client)) ?? null;
          if (time?.remaining === 0) throw overLimit("Too much time in SQL", time);
          if (!running.begin(client)) throw overAtOnce("Too many requests at once");
          if (hasSql(request) && !(await (sqlInWorkers ?? runningSql).begin(client))) {
            running.end(client);
            throw overAtOnce("Too many SQL queries at once");
          }
          clients.set(request, client);
          return null;
        },
      },
      finish_reply: {
        order: "early",
        async run(_rowhouse, { value, request }) {
          const client = clients.get(request);
          const ms = rowhouse.serviceIfAny("timing")?.sqlOf(request)?.ms ?? 0;
          if (client !== undefined && sql !== null && ms > 0) await sql.use(client, Math.ceil(ms));
          const { body } = value;
          const sent = isBodyStream(body) ? { ...value, body: endingWith(body, () => end(request)) } : value;
          if (sent === value) end(request);
          const left = quotas.get(request);
          return left === undefined ? sent : reply.withHeaders(sent, rateLimitHeaders(left));
        },
      },
    };
  },
});

/** What each client may use in a window of time; null without a limit. */
function windowsOf(rowhouse: Rowhouse) {
  const windowSeconds = Math.max(1, rowhouse.setting("limit_window_seconds"));
  const isShared = rowhouse.option("workers") !== undefined;
  const windowOf = (name: string, limit: number): QuotaWindow | null =>
    limit === 0
      ? null
      : keepOverReloads(
          rowhouse,
          `limits: ${name} ${limit} ${windowSeconds}`,
          () => new QuotaWindow(name, limit, { windowSeconds, isShared }),
        );
  return {
    requests: windowOf("requests", rowhouse.setting("max_requests")),
    sql: windowOf("sql-milliseconds", rowhouse.setting("max_sql_seconds") * 1000),
  };
}

/** What each client does at once; requests with SQL of clients count in all workers together. */
function countersOf(rowhouse: Rowhouse) {
  const limit = rowhouse.setting("max_sql_at_once");
  const topic = `limits: SQL at once ${limit}`;
  const runningSql = keepOverReloads(rowhouse, topic, () => new RunningRequests(limit));
  const workers = rowhouse.option("workers");
  return {
    running: new RunningRequests(rowhouse.setting("max_requests_at_once")),
    runningSql,
    sqlInWorkers:
      workers === undefined || limit === 0 ? null : new RunningInWorkers(runningSql, workers, topic),
  };
}

/** True for requests with SQL that the client wrote. */
const hasSql = ({ query }: Request): boolean => query.has("sql") || query.has("_where");

const overAtOnce = (what: string): TooManyRequests => new TooManyRequests(what, { "Retry-After": "1" });

const overLimit = (what: string, left: Left): TooManyRequests =>
  new TooManyRequests(`${what}: try again in ${left.resetSeconds} seconds`, {
    "Retry-After": String(left.resetSeconds),
    ...rateLimitHeaders(left),
  });

/** @throws StartupError if the time of a request in SQL is not known */
function requireTiming(rowhouse: Rowhouse): void {
  if (rowhouse.serviceIfAny("timing")?.isMeasuring === true) return;
  throw new StartupError(
    "The setting max_sql_seconds needs sql_timing: set sql_timing to auto, or max_sql_seconds to 0",
    2,
  );
}
