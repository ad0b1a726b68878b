import { csrfField, html, type Html, type Visit } from "rowhouse/plugin-api";
import type { TableTarget } from "rowhouse/plugin-api/http";
import { hasColumn } from "rowhouse/plugin-api/engine";
import { callApi } from "../api.js";
import type { Submitted } from "./indexes.js";
import { tOf } from "../texts.js";

type TableVisit = Visit<"table">;

/** The full-text search of a table: which columns it reads, and a button that ends it. */
export async function searchForm(visit: TableVisit): Promise<Html | null> {
  const t = tOf(visit);
  const { table, schema } = await shownTarget(visit);
  const isEnabled = table.fullText?.contentTable === table.name;
  const { search } = visit.target.database.dialect.definitions;
  if (!isEnabled && search.refusal(table, schema) !== null) return null;
  return html`
    <section class="panel">
      <h2>${t("structure.search")}</h2>
      <form method="post">
        ${csrfField(visit)} <input type="hidden" name="part" value="search" />
        ${isEnabled ? searchedColumns(visit) : columnChoice(visit)}
      </form>
    </section>
  `;
}

/** The table without a full-text index that the actor may not view, and a schema without the table of that index. */
async function shownTarget({
  rowhouse,
  actor,
  target,
}: TableVisit): Promise<Pick<TableTarget, "table" | "schema">> {
  const { database, table, schema, source } = target;
  const rowAccess = rowhouse.serviceIfAny("rowAccess");
  if (rowAccess === null) return target;
  const { fullText } = (await rowAccess.describe(actor, database, source)).table;
  const tables = new Map(schema.tables);
  const index = database.dialect.definitions.search.tableName(table.name);
  if (!(await rowAccess.viewable(actor, database, [index])).has(index)) tables.delete(index);
  return { table: { ...table, fullText }, schema: { ...schema, tables } };
}

function columnChoice(visit: TableVisit): Html {
  const t = tOf(visit);
  const { database, table } = visit.target;
  const { tokenizers } = database.dialect.definitions.search;
  const texts = table.columns.filter(({ hidden, affinity }) => !hidden && affinity === "text");
  const columns = texts.length > 0 ? texts : table.columns.filter(({ hidden }) => !hidden);
  return html`
    <fieldset>
      <legend class="hint">${t("structure.searched")}</legend>
      <ul class="checkboxes">
        ${columns.map(
          ({ name }) =>
            html`<li>
              <label dir="auto"
                ><input type="checkbox" name="column" value="${name}" ${texts.length > 0 && "checked"} />
                ${name.trim() === "" ? `"${name}"` : name}</label
              >
            </li>`,
        )}
      </ul>
    </fieldset>
    <p class="buttons">
      <label
        >${t("structure.words")}
        <select name="tokenize">
          ${tokenizers.map((one) => html`<option>${one}</option>`)}
        </select></label
      >
      <button type="submit" class="quiet">${t("structure.enable_search")}</button>
    </p>
  `;
}

function searchedColumns(visit: TableVisit): Html {
  const t = tOf(visit);
  const { table, schema } = visit.target;
  const index = schema.tables.get(table.fullText?.table ?? "");
  const indexed = index?.name === table.name ? [] : (index?.columns ?? []).filter(({ hidden }) => !hidden);
  // The index has the hidden columns of its table, too.
  const columns = indexed.filter(({ name }) => hasColumn(table, name));
  return html`<p>
    ${t("structure.search_enabled")}${columns.length > 0 && html`${t("structure.search_for")}<span dir="auto">${columns.map(({ name }) => name).join(", ")}</span>`}.
    <button type="submit" class="quiet" name="disable" value="1">${t("structure.disable_search")}</button>
  </p>`;
}

/** Enables or disables search. */
export async function submitSearch(visit: TableVisit, submitted: URLSearchParams): Promise<Submitted> {
  const { rowhouse, target } = visit;
  const url = rowhouse.urls.table(target.database.name, target.table.name);
  if (submitted.has("disable"))
    return {
      answer: await callApi(visit, `${url}/-/disable-search`, {}),
      message: tOf(visit)("structure.disabled"),
    };
  const body = { columns: submitted.getAll("column"), tokenize: submitted.get("tokenize") ?? undefined };
  return {
    answer: await callApi(visit, `${url}/-/enable-search`, body),
    message: tOf(visit)("structure.enabled"),
  };
}
