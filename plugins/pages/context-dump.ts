import { Html, Labelled, escapeHtml } from "rowhouse/plugin-api";

/** A page's context as people see it with `?_context=1`: escaped JSON; what has no JSON form is named by its kind. */
export function contextDump(context: Readonly<Record<string, unknown>>): string {
  const { request: _request, ...shown } = context;
  const text = JSON.stringify(shown, (_key, value: unknown) => dumped(value), 4);
  return `<pre>${escapeHtml(text)}</pre>`;
}

function dumped(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "function") return "[function]";
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (value instanceof Uint8Array) return `[${value.length} bytes]`;
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Html) return value.markup;
  if (value instanceof Labelled) return { value: value.value, label: value.label };
  // Anything else with a class of its own, such as a database, has insides that are nobody's business.
  return isPlain(value) ? value : `[${value.constructor.name}]`;
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
