import { html, type Html, type Visit } from "rowhouse/plugin-api";
import { isNumber } from "rowhouse/plugin-api/engine";
import { listing } from "rowhouse/plugin-api/html";
import { parseJsonTree, type JsonObject, type JsonValue } from "rowhouse/plugin-api/json";
import type { Answer } from "../api.js";
import { tOf } from "../texts.js";

type DatabaseVisit = Visit<"database">;

/** What the write API says about a statement that it has run or tried. */
export interface Outcome {
  readonly message: Html;
  /** The tables that the statement uses, and the rows that it returned. */
  readonly details: Html;
}

export function outcomeOf(visit: DatabaseVisit, { text }: Answer): Outcome {
  const t = tOf(visit);
  // Columns may have numbers as names. Only a map keeps their order.
  const document = parseJsonTree(text) as JsonObject;
  const count = Number(document.get("rowcount"));
  const isTried = document.get("dry_run") === true;
  const rows = objectsIn(document.get("rows"));
  return {
    message: html`<p class="message message-info" role="status">
      ${t(isTried ? "write_sql.would_change" : "write_sql.changed", { count })}
    </p>`,
    details: html`
      ${rows.length > 0 && returnedRows(visit, rows, document.get("truncated") === true)}
      <section>
        <h2>${t("write_sql.tables")}</h2>
        ${usedTables(visit, objectsIn(document.get("analysis")))}
      </section>
    `,
  };
}

const objectsIn = (list: JsonValue | undefined): readonly JsonObject[] =>
  (list ?? []) as readonly JsonObject[];

function usedTables(visit: DatabaseVisit, uses: readonly JsonObject[]): Html {
  const { rowhouse, target } = visit;
  const t = tOf(visit);
  const rows = uses.map((use) => {
    const table = String(use.get("table"));
    const permissions = String(use.get("required_permission")).split(", ");
    return {
      cells: [
        html`<a href="${rowhouse.urls.table(target.database.name, table)}" dir="auto">${table}</a>`,
        t(use.get("operation") === "read" ? "write_sql.is_read" : "write_sql.is_changed"),
        triggerOf(use),
        html`${permissions.map((name, index) => html`${index > 0 && ", "}<code>${name}</code>`)}`,
      ],
    };
  });
  const headings = [
    "write_sql.table",
    "write_sql.use",
    "write_sql.trigger",
    "write_sql.permissions",
  ] as const;
  return listing(
    t("write_sql.tables"),
    headings.map((heading) => t(heading)),
    rows,
  );
}

function triggerOf(use: JsonObject): Html | string {
  const source = use.get("source");
  return typeof source === "string" ? html`<span dir="auto">${source}</span>` : "";
}

function returnedRows(visit: DatabaseVisit, rows: readonly JsonObject[], isTruncated: boolean): Html {
  const t = tOf(visit);
  const columns = [...(rows[0]?.keys() ?? [])];
  return html`<section>
    <h2>${t("write_sql.returned")}</h2>
    ${isTruncated && html`<p class="hint">${t("write_sql.first_rows", { count: rows.length })}</p>`}
    <div class="table-wrapper" tabindex="0" role="region" aria-label="${t("write_sql.returned")}">
      <table class="rows-and-columns">
        <thead>
          <tr>
            ${columns.map((name) => html`<th scope="col" dir="auto">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                ${columns.map((name) => returnedCell(visit, row.get(name) ?? null))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

function returnedCell(visit: DatabaseVisit, value: JsonValue): Html {
  if (value === null) return html`<td class="type-none"></td>`;
  if (isNumber(value)) return html`<td class="numeric">${String(value)}</td>`;
  const text = value instanceof Map ? bytesText(visit, value) : String(value);
  const shown = text.length > MOST_UNFOLDED ? html`<div class="long" tabindex="0">${text}</div>` : text;
  // Cells keep the line breaks of their values, so there are none around them.
  return html`<td dir="auto">${shown}</td>`;
}

/** Longer texts are shown in a few lines until they are focused. */
const MOST_UNFOLDED = 300;

function bytesText(visit: DatabaseVisit, bytes: JsonObject): string {
  const count = Buffer.from(String(bytes.get("encoded")), "base64").length;
  return tOf(visit)("write_sql.binary", { count });
}
