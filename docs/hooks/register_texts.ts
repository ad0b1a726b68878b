// Brings the texts of a page in two languages, of which readers get theirs.
// Try: GET /-/desk with header accept-language: de
// Says: 2 Plätze frei
import { definePlugin, html, pageReply } from "rowhouse/plugin-api";
import { textsFor } from "rowhouse/plugin-api/html";

const english = { "desk.free": { one: "{count} free place", other: "{count} free places" } };
const german = { "desk.free": { one: "{count} Platz frei", other: "{count} Plätze frei" } };

export default definePlugin({
  name: "desk",
  register_texts: () => [
    { language: "en", texts: english },
    { language: "de", texts: german },
  ],
  register_routes: () => ({
    name: "desk",
    path: "/-/desk",
    target: "instance",
    view: (visit) => {
      const free = textsFor(visit, english).t("desk.free", { count: 2 });
      const context = { is_translated: true };
      return pageReply(visit, {
        template: "desk.html",
        title: free,
        content: html`<h1>${free}</h1>`,
        context,
      });
    },
  }),
});
