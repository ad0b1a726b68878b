import {
  Forbidden,
  Html,
  NotFound,
  csrfField,
  html,
  pageReply,
  permissionChain,
  reply,
  type Reply,
  type Visit,
} from "rowhouse/plugin-api";
import { acceptsWrites } from "rowhouse/plugin-api/engine";
import type { MessageAction } from "rowhouse/plugin-api/contracts";
import { tOf } from "./texts.js";

/** A page with a form that changes something. */
export interface EditPage {
  readonly title: string;
  /** What the last submit did, below the heading. */
  readonly outcome?: Html | undefined;
  /** The content of the form. */
  readonly fields: Html;
  /** The label of the button, or several buttons. */
  readonly submit: string | Html;
  /** Of the write API, in English. */
  readonly errors?: readonly string[];
  /** Why nothing was written, in the language of the page. */
  readonly notice?: string | Html | undefined;
  /** The link that leaves the page without a change. */
  readonly cancel: string;
  readonly isDangerous?: boolean;
  /** Default: `edit.html`. */
  readonly template?: string;
  /** True for forms with files. */
  readonly hasFiles?: boolean;
  /** The content below the form. */
  readonly more?: Html;
}

/** A page whose form is submitted to its own address. The status is 400 if nothing was written. */
export function editPage(visit: Visit, page: EditPage): Promise<Reply> {
  const { request, rowhouse, target } = visit;
  const { errors = [], notice } = page;
  const isRefused = errors.length > 0 || notice !== undefined;
  const content = html`
    <h1 dir="auto">${page.title}</h1>
    ${
      isRefused &&
      html`<div class="message message-error" role="alert">
        ${notice !== undefined && html`<p>${notice}</p>`}
        ${errors.map((error) => html`<p lang="en">${error}</p>`)}
      </div>`
    }
    ${page.outcome}
    <form
      class="panel edit-form"
      method="post"
      action="${rowhouse.urls.path(request.path)}"
      ${page.hasFiles === true && html`enctype="multipart/form-data"`}
    >
      ${csrfField(visit)} ${page.fields}
      <p class="buttons">
        ${buttonsOf(page)}
        <a href="${page.cancel}">${tOf(visit)("edit.cancel")}</a>
      </p>
    </form>
    ${page.more}
  `;
  return pageReply(visit, {
    template: page.template ?? "edit.html",
    title: page.title,
    content,
    context: { is_translated: true },
    status: isRefused ? 400 : 200,
    headers: { "cache-control": "no-store" },
    ...("database" in target && { database: target.database.name }),
    ...("table" in target && { table: target.table.name }),
  });
}

const buttonsOf = ({ submit, isDangerous = false }: EditPage): Html =>
  submit instanceof Html
    ? submit
    : html`<button type="submit" class="${isDangerous ? "danger" : ""}">${submit}</button>`;

/**
 * Checks the permission to write to the target. The routes of tables check the one to view. Clients that may not view a database get the
 * refusal of its page, which names that do not exist get too.
 *
 * @throws Forbidden, NotFound for databases and tables that cannot be written
 */
export async function requireWrite(
  { rowhouse, actor, target }: Visit<"database"> | Visit<"table"> | Visit<"row">,
  action: string,
): Promise<void> {
  const { name } = target.database;
  const resource = "table" in target ? ([name, target.table.name] as const) : name;
  const allowed = await rowhouse.permissions.allowed(actor, action, resource);
  if (!allowed) {
    const refusal = "You do not have permission to view this database";
    await rowhouse.permissions.require(actor, permissionChain(target), refusal);
    throw new Forbidden(`Permission denied: need ${action}`);
  }
  if (!target.database.mutable) throw new NotFound("This database can't be changed");
  if ("table" in target && !acceptsWrites(target.table))
    throw new NotFound(`This ${target.table.kind === "view" ? "view" : "table"} can't be changed`);
}

/** Redirects to `location`, which shows a message about the change, with a button if it can be undone. */
export function done(
  { rowhouse, request }: Visit,
  message: string,
  location: string,
  undo: MessageAction | null = null,
): Reply {
  rowhouse.serviceIfAny("messages")?.add(request, message, "info", undo ?? undefined);
  return reply.redirect(location, 303);
}

/** The submitted fields of a form. */
export async function formOf({ request }: Visit): Promise<URLSearchParams> {
  return (await request.form()).fields;
}
