import { Forbidden, definePlugin } from "rowhouse/plugin-api";
import { bundledSettings } from "rowhouse/plugin-api/contracts";
import { describeError } from "rowhouse/plugin-api/errors";
import { errorReply } from "./reply.js";
import { texts } from "./texts.js";
import { completeError } from "./complete-error.js";

/** The replies to errors that no other plugin handles: a JSON document, plain text or a page. */
export default definePlugin({
  name: "errors",
  deterministic: true,
  unguarded: true,
  register_texts: () => texts,
  optional: ["advice", "pages"],
  settings: bundledSettings.errors,
  setup: (rowhouse) =>
    rowhouse.setting("uniform_errors")
      ? { finish_reply: { order: "early", run: (_rowhouse, { value }) => completeError(value) } }
      : {},
  forbidden: {
    order: "last",
    run: (rowhouse, { request, actor, message }) => {
      const error = new Forbidden(message);
      return errorReply(rowhouse, { request, actor, error }, describeError(error));
    },
  },
  handle_exception: {
    order: "last",
    async run(rowhouse, { value, request, actor, error }) {
      if (value !== null) return null;
      const described = describeError(error, rowhouse.setting("error_debug"));
      const advice = await rowhouse.serviceIfAny("advice")?.ofError(actor, error);
      return errorReply(rowhouse, { request, actor, error }, described, advice);
    },
  },
});
