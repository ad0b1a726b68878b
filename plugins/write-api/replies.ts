import { RawJson, jsonText, reply } from "rowhouse/plugin-api";
import type { Reply } from "rowhouse/plugin-api";

/** `{"ok": true}` with further members behind it. */
export const done = (members: Readonly<Record<string, unknown>> = {}, status = 200): Reply =>
  reply.json(jsonText({ ok: true, ...members }), status);

/** `{"ok": true}`, with `rows` where there are any to show. */
export const doneWithRows = (rows: readonly string[] | null, status = 200): Reply =>
  done(rows === null ? {} : { rows: listOf(rows) }, status);

/** Finished JSON texts as one JSON list. */
export const listOf = (rows: readonly string[]): RawJson => new RawJson(`[${rows.join(", ")}]`);
