import type { Actor } from "./permissions.js";

/**
 * Tells whether an actor matches an `allow` block of the configuration.
 *
 * `true` and null match every actor, `false` and `{}` none. An object matches if one of its keys does: `"*"` matches
 * all actors that have the key, any other value (or list) matches actors with an equal value.
 * `unauthenticated: true` matches anonymous requests. Values of other types never match.
 *
 * @param actor null for an anonymous request
 * @example
 * actorMatches({ id: "ann", roles: ["editor"] }, { roles: ["editor", "admin"] }); // true
 */
export function actorMatches(actor: Actor | null, allow: unknown): boolean {
  if (typeof allow === "boolean") return allow;
  if (allow === null || allow === undefined) return true;
  if (typeof allow !== "object" || Array.isArray(allow)) return false;
  const block = allow as Readonly<Record<string, unknown>>;
  if (actor === null && Object.hasOwn(block, "unauthenticated") && block["unauthenticated"] === true)
    return true;
  const subject = actor ?? {};
  return Object.entries(block).some(([key, wanted]) => keyMatches(subject, key, wanted));
}

function keyMatches(actor: Actor, key: string, wanted: unknown): boolean {
  if (!Object.hasOwn(actor, key)) return false;
  if (wanted === "*") return true;
  const has = asList(actor[key]);
  const accepted = asList(wanted);
  return has.some(
    (value) => value !== null && value !== undefined && accepted.some((one) => sameJson(value, one)),
  );
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/**
 * Tells whether two JSON values are equal. The order of keys does not matter.
 *
 * @example
 * sameJson({ a: 1, b: [2] }, { b: [2], a: 1 }); // true
 */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(right, key) &&
      sameJson((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]),
  );
}

/**
 * The display name of an actor: the first of `display`, `name`, `username`, `login` and `id` that is not empty.
 *
 * @example
 * actorName({ id: "ann", name: "Ann" }); // "Ann"
 */
export function actorName(actor: Actor): string {
  for (const key of ["display", "name", "username", "login", "id"]) {
    const value = actor[key];
    if (value === undefined || value === null || value === "") continue;
    // Not every object can become a string.
    return typeof value === "object" ? valueNotation(value) : String(value);
  }
  return valueNotation(actor);
}

/**
 * A value in the notation of published messages: `['north', 'x']`, `{'name2': 'bob'}`, `None`, `True`.
 * Strings have single quotes, or double quotes if they contain a single quote and no double quote.
 *
 * @example
 * valueNotation({ id: "ann", admin: true }); // "{'id': 'ann', 'admin': True}"
 */
export function valueNotation(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "string") return stringNotation(value);
  if (Array.isArray(value)) return `[${value.map(valueNotation).join(", ")}]`;
  if (typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype) {
    const members = Object.entries(value).map(
      ([key, item]) => `${stringNotation(key)}: ${valueNotation(item)}`,
    );
    return `{${members.join(", ")}}`;
  }
  return String(value);
}

function stringNotation(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replace(
    /[\\'\n\r\t]|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}]|(?! )\p{Zs}/gu,
    (character) => escapeCharacter(character, quote),
  );
  return quote + body + quote;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

function escapeCharacter(character: string, quote: string): string {
  if (character === "'") return quote === "'" ? "\\'" : "'";
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
