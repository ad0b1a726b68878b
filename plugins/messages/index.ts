import { definePlugin, reply, type Reply, type Request, type Rowhouse } from "rowhouse/plugin-api";
import { cookie } from "rowhouse/plugin-api/http";
import { messageRoutes } from "./messages-page.js";
import { MESSAGES_COOKIE, addMessage, cookieValue, takeMessages } from "./message-cookie.js";

/** Flash messages: added in one request, shown on the next page. */
export default definePlugin({
  name: "messages",
  deterministic: true,
  unguarded: true,
  provides: ["messages"],
  apply: (rowhouse) =>
    rowhouse.provide("messages", {
      add: (request, text, level = "info") => addMessage(rowhouse, request, { text, level }),
      take: (request) => takeMessages(rowhouse, request),
    }),
  register_routes: () => messageRoutes,
  finish_reply: (rowhouse, { value, request }) => withCookie(rowhouse, request, value),
});

function withCookie(rowhouse: Rowhouse, request: Request, value: Reply): Reply {
  const content = cookieValue(rowhouse, request);
  if (content === null) return value;
  const secure = request.secure || rowhouse.setting("force_https_urls");
  const gone = content === "" ? { expires: new Date(0), maxAgeSeconds: 0 } : {};
  return reply.withHeaders(value, { "set-cookie": cookie(MESSAGES_COOKIE, content, { secure, ...gone }) });
}
