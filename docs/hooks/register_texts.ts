// Brings the texts of a page in two languages, of which readers get theirs.
// Try: GET /-/desk with header accept-language: de
// Says: 2 Plätze frei
import { definePlugin, html, pageReply } from "rowhouse/plugin-api";
import { pageTexts } from "rowhouse/plugin-api/html";

const english = { "desk.free": { one: "{count} free place", other: "{count} free places" } };
const german = { "desk.free": { one: "{count} Platz frei", other: "{count} Plätze frei" } };
const { texts, tOf } = pageTexts(english, { de: german });

export default definePlugin({
  name: "desk",
  register_texts: () => texts,
  register_routes: () => ({
    name: "desk",
    path: "/-/desk",
    target: "instance",
    view: (visit) => {
      const free = tOf(visit)("desk.free", { count: 2 });
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
