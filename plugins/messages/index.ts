import { definePlugin } from "rowhouse/plugin-api";
import { messageRoutes } from "./messages-page.js";
import { addMessage, takeMessages } from "./message-cookie.js";
import { texts } from "./texts.js";

/** Flash messages: added in one request, shown on the next page. */
export default definePlugin({
  name: "messages",
  deterministic: true,
  unguarded: true,
  provides: ["messages"],
  register_texts: () => texts,
  setup: (rowhouse) =>
    rowhouse.provide("messages", {
      add: (request, text, level = "info", action) =>
        addMessage(rowhouse, request, { text, level, ...(action && { action }) }),
      take: (request) => takeMessages(rowhouse, request),
    }),
  register_routes: () => messageRoutes,
});
