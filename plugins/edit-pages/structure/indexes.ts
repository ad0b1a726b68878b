import { csrfField, html, type Html, type Visit } from "rowhouse/plugin-api";
import { callApi, type Answer } from "../api.js";
import { tOf } from "../texts.js";
import type { Translator } from "rowhouse/plugin-api/html";

type TableVisit = Visit<"table">;

/** The reply of the JSON API, and what to say if it is a success. */
export interface Submitted {
  readonly answer: Answer;
  readonly message: string;
}

/** Columns of a new index that can be chosen. */
const MOST_COLUMNS = 3;

/** The indexes of a table, each with a button that drops it, and a form for a new one. */
export function indexForms(visit: TableVisit): Html {
  const t = tOf(visit);
  const { table } = visit.target;
  const columns = table.columns.filter(({ hidden }) => !hidden).map(({ name }) => name);
  return html`
    <section class="panel">
      <h2>${t("structure.indexes")}</h2>
      ${
        table.indexes.length === 0
          ? html`<p class="hint">${t("structure.no_indexes")}</p>`
          : html`<ul class="index-list">
              ${table.indexes.map((index) => indexMarkup(visit, index))}
            </ul>`
      }
      <form class="index-form" method="post">
        ${csrfField(visit)} <input type="hidden" name="part" value="new-index" />
        ${Array.from({ length: Math.min(MOST_COLUMNS, columns.length) }, (_, place) => columnMenu(columns, place, t))}
        <label><input type="checkbox" name="unique" /> ${t("structure.unique")}</label>
        <button type="submit" class="quiet">${t("structure.create_index")}</button>
      </form>
    </section>
  `;
}

type Index = TableVisit["target"]["table"]["indexes"][number];

function indexMarkup(visit: TableVisit, { name, columns, unique, origin }: Index): Html {
  const t = tOf(visit);
  const shown = columns.map((column) => column ?? t("structure.expression")).join(", ");
  const reason = origin === "pk" ? t("structure.primary_key") : t("structure.constraint");
  return html`<li>
    <span dir="auto">${shown}</span>
    <span class="hint" dir="auto">${name}${unique && `, ${t("structure.unique")}`}</span>
    ${
      origin === "c"
        ? html`<form method="post">
            ${csrfField(visit)} <input type="hidden" name="part" value="drop-index" />
            <button
              type="submit"
              class="quiet"
              name="index"
              value="${name}"
              aria-label="${t("structure.drop_index", { name })}"
            >
              ${t("structure.drop")}
            </button>
          </form>`
        : html`<span class="hint">${reason}</span>`
    }
  </li>`;
}

const columnMenu = (columns: readonly string[], place: number, t: Translator["t"]): Html => html`
  <select
    name="column"
    aria-label="${place === 0 ? t("structure.index_column") : t("structure.index_column_at", { place: place + 1 })}"
  >
    <option value="">${place === 0 ? t("structure.choose_column") : t("structure.and_then")}</option>
    ${columns.flatMap((name) => [
      html`<option value="${name}">${name}</option>`,
      html`<option value="-${name}">${t("structure.descending", { name })}</option>`,
    ])}
  </select>
`;

/** Creates or drops an index. */
export async function submitIndex(visit: TableVisit, submitted: URLSearchParams): Promise<Submitted> {
  const { rowhouse, target } = visit;
  const url = rowhouse.urls.table(target.database.name, target.table.name);
  if (submitted.get("part") === "drop-index") {
    const name = submitted.get("index") ?? "";
    return {
      answer: await callApi(visit, `${url}/-/drop-index`, { name }),
      message: tOf(visit)("structure.index_dropped", { name }),
    };
  }
  const columns = submitted.getAll("column").filter((name) => name !== "");
  const answer = await callApi(visit, `${url}/-/create-index`, { columns, unique: submitted.has("unique") });
  return {
    answer,
    message: tOf(visit)("structure.index_created", { name: String(answer.document["index"]) }),
  };
}
