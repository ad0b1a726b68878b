import { RawJson, jsonText, reply } from "rowhouse/plugin-api";
import type { Reply } from "rowhouse/plugin-api";

/** `{"ok": true}` with further members behind it. */
export const done = (members: Readonly<Record<string, unknown>> = {}, status = 200): Reply =>
  reply.json(jsonText({ ok: true, ...members }), status);

/** Finished JSON texts as one JSON list. */
export const listOf = (rows: readonly string[]): RawJson => new RawJson(`[${rows.join(", ")}]`);
