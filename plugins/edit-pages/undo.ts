import { deflateRawSync, inflateRawSync } from "node:zlib";
import { BadRequest, reply, type Reply, type Visit } from "rowhouse/plugin-api";
import { safeLocation } from "rowhouse/plugin-api/http";
import type { MessageAction } from "rowhouse/plugin-api/contracts";
import { callWith, type Answer } from "./api.js";
import { done, formOf } from "./page.js";

/** The button that undoes a write; null if it cannot be undone. @param back the page to show afterwards */
export function undoButton(
  { rowhouse }: Visit,
  database: string,
  { document }: Answer,
  back: string,
): MessageAction | null {
  const { undo } = document;
  if (typeof undo !== "string") return null;
  const operations = deflateRawSync(undo).toString("base64url");
  return {
    label: "Undo",
    path: `${rowhouse.urls.database(database)}/-/undo`,
    fields: { operations, back },
  };
}

/** Operations of a form are never larger. */
const MOST_BYTES = 1_000_000;

/**
 * `POST /<database>/-/undo`: runs the operations of an Undo button as a batch, with the permissions of the actor.
 *
 * @throws BadRequest for a form that no button sent
 */
export async function undoSubmit(visit: Visit<"database">): Promise<Reply> {
  const { rowhouse, request, target } = visit;
  const submitted = await formOf(visit);
  const back = safeLocation(submitted.get("back") ?? rowhouse.urls.instance());
  const operations = unpacked(submitted.get("operations") ?? "");
  const path = `${rowhouse.urls.database(target.database.name)}/-/batch`;
  const body = `{"operations": ${operations}}`;
  const answer = await callWith(visit, path, body, { "content-type": "application/json" });
  if (answer.ok) return done(visit, "The change was undone", back);
  const hasChanged = answer.reply.status === 412;
  const message = hasChanged
    ? "The row has changed since then. Nothing was undone."
    : answer.errors.join(" ").replace(/^Operation 0: /, "");
  rowhouse.serviceIfAny("messages")?.add(request, message, "error");
  return reply.redirect(back, 303);
}

function unpacked(text: string): string {
  try {
    return inflateRawSync(Buffer.from(text, "base64url"), { maxOutputLength: MOST_BYTES }).toString();
  } catch {
    throw new BadRequest("The operations to undo can't be read");
  }
}
