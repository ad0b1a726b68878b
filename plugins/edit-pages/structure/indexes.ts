import { csrfField, html, type Html, type Visit } from "rowhouse/plugin-api";
import { callApi, type Answer } from "../api.js";

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
  const { table } = visit.target;
  const columns = table.columns.filter(({ hidden }) => !hidden).map(({ name }) => name);
  return html`
    <section class="panel">
      <h2>Indexes</h2>
      ${
        table.indexes.length === 0
          ? html`<p class="hint">
              There are none yet. An index makes filters and orders by its columns fast.
            </p>`
          : html`<ul class="index-list">
              ${table.indexes.map((index) => indexMarkup(visit, index))}
            </ul>`
      }
      <form class="index-form" method="post">
        ${csrfField(visit)} <input type="hidden" name="part" value="new-index" />
        ${Array.from({ length: Math.min(MOST_COLUMNS, columns.length) }, (_, place) => columnMenu(columns, place))}
        <label><input type="checkbox" name="unique" /> no two rows alike</label>
        <button type="submit" class="quiet">Create index</button>
      </form>
    </section>
  `;
}

type Index = TableVisit["target"]["table"]["indexes"][number];

function indexMarkup(visit: TableVisit, { name, columns, unique, origin }: Index): Html {
  const shown = columns.map((column) => column ?? "an expression").join(", ");
  const reason = origin === "pk" ? "primary key" : "unique constraint";
  return html`<li>
    <span dir="auto">${shown}</span>
    <span class="hint" dir="auto">${name}${unique && ", no two rows alike"}</span>
    ${
      origin === "c"
        ? html`<form method="post">
            ${csrfField(visit)} <input type="hidden" name="part" value="drop-index" />
            <button
              type="submit"
              class="quiet"
              name="index"
              value="${name}"
              aria-label="Drop the index ${name}"
            >
              Drop
            </button>
          </form>`
        : html`<span class="hint">${reason}</span>`
    }
  </li>`;
}

const columnMenu = (columns: readonly string[], place: number): Html => html`
  <select name="column" aria-label="${place === 0 ? "Column" : `Column ${place + 1}`} of the new index">
    <option value="">${place === 0 ? "Column…" : "and then…"}</option>
    ${columns.flatMap((name) => [
      html`<option value="${name}">${name}</option>`,
      html`<option value="-${name}">${name}, descending</option>`,
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
      message: `Index ${name} dropped`,
    };
  }
  const columns = submitted.getAll("column").filter((name) => name !== "");
  const answer = await callApi(visit, `${url}/-/create-index`, { columns, unique: submitted.has("unique") });
  return { answer, message: `Index ${String(answer.document["index"])} created` };
}
