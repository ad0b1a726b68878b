import { isObject, jsonText, type Reply } from "rowhouse/plugin-api";

/**
 * Adds `error`, `errors` and `status` to an error in JSON that lacks some of them; returns any other reply unchanged.
 *
 * @example
 * completeError(reply.json('{"ok": false, "message": "Busy"}', 400)).body;
 * // '{"ok": false, "message": "Busy", "error": "Busy", "errors": ["Busy"], "status": 400}'
 */
export function completeError(made: Reply): Reply {
  const { status, headers, body } = made;
  if (status < 400 || typeof body !== "string" || !String(headers["content-type"]).includes("json"))
    return made;
  const members = parsed(body);
  if (!isObject(members) || members["ok"] !== false) return made;
  const errors = Array.isArray(members["errors"])
    ? members["errors"]
    : [members["error"] ?? members["message"]];
  if (!errors.every((error) => typeof error === "string")) return made;
  const missing = Object.entries({ error: errors.join("; "), errors, status }).filter(
    ([name]) => !(name in members),
  );
  if (missing.length === 0) return made;
  // As text: JSON in JavaScript would lose digits of large integers.
  return {
    ...made,
    body: `${body.trimEnd().slice(0, -1)}, ${jsonText(Object.fromEntries(missing)).slice(1)}`,
  };
}

/** Null for a body that is not JSON, as a plugin may send it. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
