import { randomBytes } from "node:crypto";
import type { Actor, Request, Rowhouse, SqlInput } from "rowhouse/plugin-api";
import type { MagicParameter } from "rowhouse/plugin-api/contracts";
import type { Dialect } from "rowhouse/plugin-api/engine";
import { PluginError } from "rowhouse/plugin-api/errors";
import { boundNames, type Values } from "./parameters.js";

/** The bundled magic parameters: actor, request headers, cookies, current time and random characters. */
export const bundledMagic: readonly MagicParameter[] = [
  ["actor", (key, { actor }) => actorField(actor, key)],
  ["header", (key, { request }) => request.headers[key.replaceAll("_", "-").toLowerCase()] ?? ""],
  ["cookie", (key, { request }) => requireValue(request.cookies.get(key), key)],
  ["now", (key) => timeValue(key, new Date())],
  ["random", (key) => randomCharacters(key)],
];

interface MagicContext {
  readonly request: Request;
  readonly actor: Actor | null;
}

/**
 * The values to bind: the magic parameters in the SQL, and the caller's values. Callers can't set a magic
 * parameter: one whose prefix is not registered is NULL, for example if the plugin with the prefix is not loaded.
 */
export async function withMagicValues(
  rowhouse: Rowhouse,
  {
    dialect,
    sql,
    values,
    ...context
  }: MagicContext & { readonly dialect: Dialect; readonly sql: string; readonly values: Values },
): Promise<Values> {
  const registered = await rowhouse.hooks.register_magic_parameters.promise([], rowhouse, {});
  const magic = new Map(registered);
  const bound = new Map([...values].filter(([name]) => !magic.has(parseMagicName(name)?.prefix ?? "")));
  for (const name of boundNames(dialect, sql)) {
    const parts = parseMagicName(name);
    if (parts === null) continue;
    const resolve = magic.get(parts.prefix);
    const value = resolve === undefined ? null : await resolveOrUndefined(resolve, parts.key, context);
    if (value !== undefined) bound.set(name, value);
  }
  return bound;
}

/** Splits `_now_epoch` into `now` and `epoch`; null for a name that is not in magic form. */
function parseMagicName(name: string): { readonly prefix: string; readonly key: string } | null {
  const match = /^_([^_]*)_(.*)$/s.exec(name);
  return match === null ? null : { prefix: match[1] ?? "", key: match[2] ?? "" };
}

/**
 * A resolver throws or rejects for an unknown key. The parameter then has no value.
 *
 * @throws PluginError if it exceeds the time limit
 */
async function resolveOrUndefined(
  resolve: MagicParameter[1],
  key: string,
  context: MagicContext,
): Promise<SqlInput | undefined> {
  try {
    return await resolve(key, context);
  } catch (error) {
    if (error instanceof PluginError) throw error;
    return undefined;
  }
}

function actorField(actor: Actor | null, key: string): string | number | null {
  if (actor === null || !Object.hasOwn(actor, key)) throw new RangeError(`The actor has no ${key}`);
  const value = actor[key];
  if (value === null || typeof value === "string" || typeof value === "number") return value;
  return typeof value === "boolean" ? Number(value) : JSON.stringify(value);
}

function requireValue(value: string | undefined, key: string): string {
  if (value === undefined) throw new RangeError(`There is no ${key}`);
  return value;
}

function timeValue(key: string, now: Date): string | number {
  const seconds = `${now.toISOString().slice(0, 19)}Z`;
  switch (key) {
    case "epoch":
      return Math.floor(now.getTime() / 1000);
    case "date_utc":
      return seconds.slice(0, 10);
    case "datetime_utc":
      return seconds;
    default:
      throw new RangeError(`There is no time ${key}`);
  }
}

const MAX_RANDOM_CHARACTERS = 10_000;

function randomCharacters(key: string): string {
  const count = Number(/^chars_(\d{1,5})$/.exec(key)?.[1] ?? NaN);
  if (Number.isNaN(count) || count > MAX_RANDOM_CHARACTERS) throw new RangeError(`There is no random ${key}`);
  return randomBytes(Math.ceil(count / 2))
    .toString("hex")
    .slice(0, count);
}
