import {
  BadRequest,
  csrfField,
  html,
  pageReply,
  permissionChain,
  reply,
  type Html,
  type Reply,
  type Route,
  type Visit,
} from "rowhouse/plugin-api";
import type { MessageLevel } from "rowhouse/plugin-api/contracts";
import { LEVELS } from "./message-cookie.js";
import { tOf } from "./texts.js";

const PATH = "/-/messages";

/** A page for testing messages. */
export const messageRoutes: readonly Route[] = [
  {
    name: "messages",
    path: PATH,
    target: "instance",
    permissions: permissionChain,
    view: showForm,
  },
  {
    name: "messages-submit",
    method: "POST",
    path: PATH,
    target: "instance",
    permissions: permissionChain,
    view: addMessage,
  },
];

const ALL = "all";

const TYPES: Readonly<Record<string, readonly MessageLevel[] | undefined>> = {
  INFO: ["info"],
  WARNING: ["warning"],
  ERROR: ["error"],
  [ALL]: LEVELS,
};

async function showForm(visit: Visit): Promise<Reply> {
  return pageReply(visit, {
    template: "messages_debug.html",
    title: tOf(visit)("messages.title"),
    context: { is_translated: true },
    content: formMarkup(visit),
  });
}

async function addMessage({ rowhouse, request }: Visit): Promise<Reply> {
  const { fields: form } = await request.form();
  const type = form.get("message_type") ?? "INFO";
  const levels = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (levels === undefined) throw new BadRequest(`Unknown message type: ${type}`);
  for (const level of levels) {
    rowhouse.service("messages").add(request, form.get("message") ?? "", level);
  }
  return reply.redirect(rowhouse.urls.instance());
}

function formMarkup(visit: Visit): Html {
  const t = tOf(visit);
  return html`
    <h1>${t("messages.title")}</h1>
    <p class="lead">${t("messages.about")}</p>
    <form class="panel narrow" action="${visit.rowhouse.urls.path(PATH)}" method="post">
      ${csrfField(visit)}
      <p class="field">
        <label for="message">${t("messages.message")}</label>
        <input id="message" type="text" name="message" dir="auto" />
      </p>
      <p class="field">
        <label for="message-type">${t("messages.type")}</label>
        <select id="message-type" name="message_type">
          ${Object.keys(TYPES).map(
            (type) => html`<option value="${type}">${type === ALL ? t("messages.all") : type}</option>`,
          )}
        </select>
      </p>
      <p class="buttons"><button type="submit">${t("messages.add")}</button></p>
    </form>
  `;
}
