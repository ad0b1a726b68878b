import { Html, Labelled, escapeHtml } from "rowhouse/plugin-api";

/**
 * The context of a page for `?_context=1`: escaped JSON. Values without a JSON form are shown by their kind.
 */
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
  // Objects of other classes, such as databases, may contain private data. Only their class is shown.
  return isPlain(value) ? value : `[${value.constructor.name}]`;
}

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
