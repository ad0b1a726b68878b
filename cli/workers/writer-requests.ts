import type { IncomingMessage } from "node:http";
import type { Rowhouse } from "rowhouse/plugin-api";
import { tildeDecode } from "rowhouse/plugin-api/http";

const SAFE_METHODS: ReadonlySet<string | undefined> = new Set(["GET", "HEAD", "OPTIONS"]);

/** The page that signs in with a one-time link: the worker that writes knows whether it was used. */
const ONE_TIME_LINK = "-/auth-token";

/**
 * True for requests that the worker that writes must answer: those that can change something, and those about databases
 * in memory that can change, of which each process has its own.
 */
export function isForWriter({ method, url = "/" }: IncomingMessage, rowhouse: Rowhouse): boolean {
  if (!SAFE_METHODS.has(method)) return true;
  const base = rowhouse.urls.path("/");
  const path = url.startsWith(base) ? url.slice(base.length) : url.replace(/^\//, "");
  if (path.startsWith(ONE_TIME_LINK)) return true;
  const database = rowhouse.databases.get(databaseIn(path));
  return database?.memory === true && database.mutable && !database.internal;
}

/** `my rows` in `my+rows.json?sql=...`. */
const databaseIn = (path: string): string => tildeDecode(/^[^/?.]*/.exec(path)?.[0] ?? "");
