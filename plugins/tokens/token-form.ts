import {
  permissionChain,
  visibleItems,
  type Permission,
  type Actor,
  type Database,
  type Rowhouse,
} from "rowhouse/plugin-api";
import { tildeDecode } from "rowhouse/plugin-api/http";
import type { TokenGrants } from "rowhouse/plugin-api/contracts";
import type { Translator } from "rowhouse/plugin-api/html";
import { collectGrants, readBox, type Grant } from "./grants.js";
import type { TokenText } from "./texts.js";

/** The grants of a submitted form, or its errors. */
export type SubmittedForm = { readonly grants: TokenGrants } | { readonly errors: readonly string[] };

interface FormOptions {
  /** The longest lifetime, to which longer ones are reduced; 0 is no limit. */
  readonly maxLifetimeSeconds: number;
  /** For errors, which the page shows. */
  readonly t: Translator["t"];
}

/** Reads the token page's form. */
export function readTokenForm(
  form: URLSearchParams,
  permissions: ReadonlyMap<string, Permission>,
  { maxLifetimeSeconds, t }: FormOptions,
): SubmittedForm {
  const lifetime = readLifetime(form);
  const grants = [...new Set(form.keys())]
    .map((field) => readCheckbox(field, permissions))
    .filter((grant) => grant !== null);
  const unknown = grants.filter((grant) => !applies(grant, permissions)).map(({ action }) => action);
  const errors = [
    ...(typeof lifetime === "string" ? [t(lifetime)] : []),
    ...unknown.map((name) => t("tokens.unknown_permission", { name })),
  ];
  if (errors.length > 0 || typeof lifetime === "string") return { errors };
  const expiresAfter = withLimit(lifetime, maxLifetimeSeconds);
  return { grants: { ...collectGrants(grants), ...(expiresAfter !== null && { expiresAfter }) } };
}

const SECONDS: Readonly<Record<string, number | undefined>> = { minutes: 60, hours: 3600, days: 86400 };

/** Seconds, null for no expiry, or the key of an error. */
function readLifetime(form: URLSearchParams): number | null | TokenText {
  const unit = form.get("expire_type") ?? "";
  const duration = form.get("expire_duration") ?? "";
  if (unit === "") return null;
  const count = /^\d+$/.test(duration) ? Number(duration) : 0;
  if (count === 0 || !Number.isSafeInteger(count * 86400)) return "tokens.invalid_duration";
  const seconds = Object.hasOwn(SECONDS, unit) ? SECONDS[unit] : undefined;
  return seconds === undefined ? "tokens.invalid_unit" : count * seconds;
}

const withLimit = (lifetime: number | null, limit: number): number | null => {
  if (limit <= 0) return lifetime;
  return lifetime === null ? limit : Math.min(lifetime, limit);
};

/** The grant of a checkbox; null for any other field. */
function readCheckbox(field: string, permissions: ReadonlyMap<string, Permission>): Grant | null {
  const box = readBox(field);
  // A field with too many colons is none of the form, unless a plugin has colons in the name of its permission.
  if (box === null || (box.action.includes(":") && !permissions.has(box.action))) return null;
  const [database = null, resource = null] = box.names.map(tildeDecode);
  return { action: box.action, database, resource };
}

function applies(
  { action, database, resource }: Grant,
  permissions: ReadonlyMap<string, Permission>,
): boolean {
  const permission = permissions.get(action);
  if (permission === undefined) return false;
  if (resource !== null) return permission.takes_resource;
  return database === null || permission.takes_database;
}

/** A database that a token can be restricted to, with the tables and views in it. */
export interface GrantableDatabase {
  readonly name: string;
  readonly tables: readonly string[];
}

/** The databases, tables and views that an actor may view, to which a token can be restricted. */
export async function grantableDatabases(
  rowhouse: Rowhouse,
  actor: Actor,
): Promise<readonly GrantableDatabase[]> {
  const databases = [...rowhouse.databases.values()].filter(({ internal, memory }) => !internal && !memory);
  const shown = await visibleItems(rowhouse.permissions, actor, databases, (database) =>
    permissionChain({ database }),
  );
  return Promise.all(
    shown.map(async (database) => ({
      name: database.name,
      tables: await grantableTables(rowhouse, actor, database),
    })),
  );
}

async function grantableTables(rowhouse: Rowhouse, actor: Actor, database: Database): Promise<string[]> {
  const { tables } = await database.schema();
  const isHidden = rowhouse.serviceIfAny("tables")?.isHidden ?? (() => false);
  const listed = [...tables.values()].filter(
    (table) => table.kind !== "shadow" && !isHidden(database.name, table),
  );
  const shown = await visibleItems(rowhouse.permissions, actor, listed, (table) =>
    permissionChain({ database, table }),
  );
  return shown.map(({ name }) => name);
}
