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

const TYPES: Readonly<Record<string, readonly MessageLevel[] | undefined>> = {
  INFO: ["info"],
  WARNING: ["warning"],
  ERROR: ["error"],
  all: LEVELS,
};

async function showForm(visit: Visit): Promise<Reply> {
  return pageReply(visit, {
    template: "messages_debug.html",
    title: "Debug messages",
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

const formMarkup = (visit: Visit): Html => html`
  <h1>Debug messages</h1>
  <p class="lead">A message is shown once, on the next page.</p>
  <form class="panel narrow" action="${visit.rowhouse.urls.path(PATH)}" method="post">
    ${csrfField(visit)}
    <p class="field">
      <label for="message">Message</label> <input id="message" type="text" name="message" dir="auto" />
    </p>
    <p class="field">
      <label for="message-type">Type</label>
      <select id="message-type" name="message_type">
        ${Object.keys(TYPES).map((type) => html`<option>${type}</option>`)}
      </select>
    </p>
    <p class="buttons"><button type="submit">Add message</button></p>
  </form>
`;
