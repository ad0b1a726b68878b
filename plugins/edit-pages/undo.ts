import { promisify } from "node:util";
import { deflateRaw, inflateRawSync } from "node:zlib";
import { BadRequest, reply, type Reply, type Visit } from "rowhouse/plugin-api";
import { safeLocation } from "rowhouse/plugin-api/http";
import type { MessageAction } from "rowhouse/plugin-api/contracts";
import { postJson, type Answer } from "./api.js";
import { done, formOf } from "./page.js";
import { tOf } from "./texts.js";
import { undoStoreOf } from "./undo-store.js";

/** Off the event loop: a row can be as large as a body. */
const deflated = promisify<string, Buffer>(deflateRaw);

/** In characters. A cookie of 4 kB holds the message, the button and a signature. */
const MOST_IN_COOKIE = 2_000;

/** The button that undoes a write; null if it cannot be undone. @param back the page to show afterwards */
export async function undoButton(
  visit: Visit<"table"> | Visit<"row">,
  { document }: Answer,
  back: string,
): Promise<MessageAction | null> {
  const { rowhouse, actor, target } = visit;
  const { undo } = document;
  if (typeof undo !== "string") return null;
  const most = rowhouse.setting("max_post_body_bytes");
  if (most > 0 && Buffer.byteLength(bodyOf(undo)) > most) return null;
  const button = (fields: Readonly<Record<string, string>>): MessageAction => ({
    label: tOf(visit)("edit.undo"),
    path: `${rowhouse.urls.database(target.database.name)}/-/undo`,
    fields: { ...fields, back },
  });
  const operations = (await deflated(undo)).toString("base64url");
  if (operations.length <= MOST_IN_COOKIE) return button({ operations });
  const store = undoStoreOf(rowhouse);
  if (store === null || actor?.id === undefined) return null;
  return button({ stored: await store.keep(actor, undo) });
}

const bodyOf = (operations: string): string => `{"operations": ${operations}}`;

/** Operations in a field of a form are never larger. */
const MOST_BYTES = 1_000_000;

/**
 * `POST /<database>/-/undo`: runs the operations of an Undo button as a batch, with the permissions of the actor.
 *
 * @throws BadRequest for a form that no button sent
 */
export async function undoSubmit(visit: Visit<"database">): Promise<Reply> {
  const { rowhouse, request, target, actor } = visit;
  const submitted = await formOf(visit);
  const back = safeLocation(submitted.get("back") ?? rowhouse.urls.instance());
  const token = submitted.get("stored");
  const store = token === null ? null : undoStoreOf(rowhouse);
  const operations =
    token === null
      ? unpacked(submitted.get("operations") ?? "")
      : ((await store?.find(actor, token)) ?? null);
  const refuse = (message: string): Reply => {
    rowhouse.serviceIfAny("messages")?.add(request, message, "error");
    return reply.redirect(back, 303);
  };
  if (operations === null) return refuse(tOf(visit)("edit.undo_gone"));
  const path = `${rowhouse.urls.database(target.database.name)}/-/batch`;
  const answer = await postJson(visit, path, bodyOf(operations));
  if (answer.reply.status === 412) return refuse(tOf(visit)("edit.changed_since"));
  if (!answer.ok) return refuse(answer.errors.join(" ").replace(/^Operation 0: /, ""));
  if (token !== null) await store?.forget(actor, token);
  return done(visit, tOf(visit)("edit.undone"), back);
}

function unpacked(text: string): string {
  try {
    return inflateRawSync(Buffer.from(text, "base64url"), { maxOutputLength: MOST_BYTES }).toString();
  } catch {
    throw new BadRequest("The operations to undo can't be read");
  }
}
