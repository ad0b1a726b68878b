import type { Plugin, Request, Rowhouse, Visit } from "rowhouse/plugin-api";
import {
  commitTraces,
  sqlProcessTraces,
  sqlTraces,
  type CommitTrace,
  type SqlProcessTrace,
  type SqlTrace,
} from "rowhouse/plugin-api/contracts";

/** Few values, those of plugins: never text of clients. */
interface PageLabels {
  readonly route: string;
  readonly format: string;
}

/** A reply that was sent. */
interface ReplyEvent {
  readonly kind: "reply";
  readonly labels: PageLabels & { readonly method: string; readonly status: number };
  readonly seconds: number;
  readonly bytes: number;
  readonly isComplete: boolean;
  /** The state of the cache of replies; null for replies that are not pages of data. */
  readonly cache: string | null;
}

/** What is measured. */
export type MeasuredEvent =
  | ReplyEvent
  | { readonly kind: "sql"; readonly database: string; readonly seconds: number }
  | {
      readonly kind: "commit";
      readonly database: string;
      readonly seconds: number;
      readonly writes: number;
    };

/** Events that are kept before there are metrics. They take less than 2 MB. */
const MAX_EARLY_EVENTS = 10_000;

/** Metrics that are created when they are first needed, because their library takes time and memory. */
export class LateMeasurements<Created extends Sink> {
  #early: MeasuredEvent[] = [];
  #creating: Promise<Created> | null = null;
  #created: Created | null = null;

  constructor(private readonly create: () => Promise<Created>) {}

  /** Counts an event, also if there are no metrics yet. */
  add(event: MeasuredEvent): void {
    if (this.#created !== null) return this.#created.add(event);
    this.#early.push(event);
    // Metrics that can't be created fail each request for them, and keep no events.
    if (this.#early.length === MAX_EARLY_EVENTS) this.get().catch(() => (this.#early = []));
  }

  get(): Promise<Created> {
    return (this.#creating ??= this.create().then((created) => {
      for (const event of this.#early) created.add(event);
      this.#early = [];
      return (this.#created = created);
    }));
  }
}

const processes = { started: 0, ended: 0 };
/**
 * Processes for untrusted SQL that were started and that have ended. They are those of this process and not of a server:
 * a process that was started before a reload can end after it.
 */
export const sqlProcesses: Readonly<Record<SqlProcessTrace["state"], number>> = processes;
sqlProcessTraces.subscribe(({ state }) => (processes[state] += 1));

/** What counts events. */
interface Sink {
  add(event: MeasuredEvent): void;
}

/** The hook functions that report replies. */
export function replyEvents(rowhouse: Rowhouse, sink: Sink): Pick<Plugin, "finish_reply" | "reply_sent"> {
  // Not the visit: V8's collection of young objects keeps a key to which a value of the map refers.
  const pages = new WeakMap<Request, PageLabels>();
  return {
    finish_reply(_rowhouse, { request, visit }) {
      if (visit !== null) pages.set(request, { route: visit.route.name, format: formatOf(visit) });
    },
    reply_sent(_rowhouse, { request, reply, bytes, isComplete }) {
      const page = pages.get(request);
      sink.add({
        kind: "reply",
        labels: {
          route: page?.route ?? "none",
          method: methodOf(request.method),
          status: reply.status,
          format: page?.format ?? "none",
        },
        seconds: (performance.now() - request.receivedMs) / 1000,
        bytes,
        isComplete,
        cache: rowhouse.serviceIfAny("replyCache")?.stateOf(request) ?? null,
      });
    },
  };
}

/** `none` for addresses that take no format, such as those of probes and static files. */
const formatOf = ({ route: { path }, format }: Visit): string =>
  typeof path === "string" && path.endsWith("{.:format}") ? format : "none";

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Clients can send any word as method, and each label value takes memory. */
const methodOf = (method: string): string => (METHODS.has(method) ? method : "other");

/** Reports what the engines of these kernels publish, until the returned function is called. */
export function engineEvents(kernels: ReadonlySet<Rowhouse>, sink: Sink): () => void {
  // Other servers in this process use the same channels.
  const isOurs = (database: string): boolean => [...kernels].some(({ databases }) => databases.has(database));
  const addStatement = ({ database, startedMs, endedMs }: SqlTrace): void => {
    if (isOurs(database)) sink.add({ kind: "sql", database, seconds: (endedMs - startedMs) / 1000 });
  };
  const addCommit = ({ database, writes, ms }: CommitTrace): void => {
    if (isOurs(database)) sink.add({ kind: "commit", database, seconds: ms / 1000, writes });
  };
  sqlTraces.subscribe(addStatement);
  commitTraces.subscribe(addCommit);
  return () => {
    sqlTraces.unsubscribe(addStatement);
    commitTraces.unsubscribe(addCommit);
  };
}
