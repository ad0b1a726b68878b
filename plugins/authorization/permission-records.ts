import { inspect } from "node:util";
import { isObject, StartupError, type Permission } from "rowhouse/plugin-api";
import { nearNames } from "rowhouse/plugin-api/names";

const TEXTS = ["abbr", "description"] as const;
const FLAGS = ["takes_database", "takes_resource", "default"] as const;
const MEMBERS: readonly string[] = ["name", ...TEXTS, ...FLAGS];

/**
 * Checks what a plugin registered, because a plugin in JavaScript is not checked by the compiler, and because a default
 * such as "no" would allow the action. Members may be missing, except for the name. A misspelt `takes_database` would
 * make a permission of databases one of the instance. Members that resemble no other may belong to the plugin.
 *
 * @throws StartupError that names the member
 */
export function refuseInvalid(permission: unknown): asserts permission is Permission {
  if (!isObject(permission)) throw invalid("a permission", "an object", permission);
  const { name } = permission;
  if (typeof name !== "string" || name === "")
    throw invalid("the name of a permission", "text that is not empty", name);
  for (const member of Object.keys(permission)) {
    const [near] = MEMBERS.includes(member) ? [] : nearNames(member, MEMBERS, 1);
    if (near === undefined) continue;
    throw new StartupError(
      `register_permissions: the permission ${name} has no member ${member}, did you mean ${near}?`,
    );
  }
  for (const member of TEXTS) refuseUnless("string", { permission, member, expected: "text or null" });
  for (const member of FLAGS) refuseUnless("boolean", { permission, member, expected: "true or false" });
}

interface Checked {
  readonly permission: Readonly<Record<string, unknown>>;
  readonly member: keyof Permission;
  readonly expected: string;
}

function refuseUnless(type: "string" | "boolean", { permission, member, expected }: Checked): void {
  const value = permission[member] ?? null;
  if (value === null || typeof value === type) return;
  throw invalid(`${member} of the permission ${String(permission["name"])}`, expected, value);
}

const invalid = (subject: string, expected: string, value: unknown): StartupError =>
  new StartupError(`register_permissions: ${subject} must be ${expected}, not ${inspect(value)}`);

/**
 * @param pluginOf the plugin of a permission; null for bundled ones
 * @throws StartupError if two different permissions share a name or an abbreviation
 */
export function refuseClash(
  one: Permission,
  other: Permission,
  pluginOf: (permission: Permission) => string | null,
): void {
  const fields = ["name", ...TEXTS, ...FLAGS] as const;
  if (fields.every((field) => (one[field] ?? null) === (other[field] ?? null))) return;
  for (const field of ["name", "abbr"] as const) {
    if (!one[field] || one[field] !== other[field]) continue;
    const plugins = [one, other].map(pluginOf).filter((plugin) => plugin !== null);
    const names = field === "abbr" ? `of ${one.name} and ${other.name}, ` : "";
    const whose = plugins.length === 0 ? "" : ` (${names}from ${plugins.join(" and ")})`;
    throw new StartupError(`Duplicate permission ${field}: ${one[field]}${whose}`);
  }
}
