import type { Page, Rowhouse, Visit } from "rowhouse/plugin-api";
import { jsonText } from "rowhouse/plugin-api";
import type { PageModel } from "./renderer.js";

/** A page of another plugin: its template if it exists, otherwise its document as JSON. */
export function otherPage(_rowhouse: Rowhouse, page: Page, visit: Visit): PageModel {
  return {
    templates: [`${page.name}.html`, "json_data.html"],
    context: {
      fileName: page.context?.["fileName"] ?? `${page.name}.json`,
      text: page.context?.["text"] ?? indented(page.data),
      body_class: page.context?.["body_class"] ?? "show-json",
    },
    options: { trail: { database: databaseOf(visit) } },
  };
}

const indented = (value: unknown): string => JSON.stringify(JSON.parse(jsonText(value)), null, 4);

const databaseOf = ({ target }: Visit): string | undefined =>
  "database" in target ? target.database.name : undefined;
