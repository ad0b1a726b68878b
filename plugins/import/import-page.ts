import {
  csrfField,
  html,
  jsonText,
  pageReply,
  reply,
  type Html,
  type Reply,
  type Visit,
} from "rowhouse/plugin-api";
import { databaseFacts, tableFacts } from "./facts.js";
import { pasteForm, type Pasted } from "./paste-form.js";

/** The page that makes a table of a file. */
export async function databaseImport(visit: Visit<"database">): Promise<Reply> {
  const { rowhouse, actor, target } = visit;
  const { database } = target;
  const facts = { database: await databaseFacts(rowhouse, actor, database), table: null };
  return pageReply(visit, {
    template: "import.html",
    title: `Import into ${database.name}`,
    content: html`
      <h1 dir="auto">Import a file into ${database.name}</h1>
      ${steps(visit, facts)}
      <noscript>
        <p class="empty">
          This page reads files with JavaScript, which is switched off here. Create a table, then paste rows
          into it.
        </p>
        <p>
          <a class="button" href="${rowhouse.urls.database(database.name)}/-/new-table">Create a table</a>
        </p>
      </noscript>
    `,
    headers: { "cache-control": "no-store" },
    database: database.name,
  });
}

/** The page that imports a file into a table. Without scripts it has a form for pasted CSV. */
export async function tableImport(visit: Visit<"table">): Promise<Reply> {
  return tablePage(visit, { text: "", conflict: "", alter: false }, []);
}

/** The same with what was pasted, and the errors in it. */
export async function tablePage(
  visit: Visit<"table">,
  pasted: Pasted,
  errors: readonly string[],
): Promise<Reply> {
  const { rowhouse, actor, target } = visit;
  const { database, table } = target;
  const facts = {
    database: await databaseFacts(rowhouse, actor, database),
    table: await tableFacts(rowhouse, actor, target),
  };
  return pageReply(visit, {
    template: "import.html",
    title: `Import into ${table.name}`,
    content: html`
      <h1 dir="auto">Import a file into ${table.name}</h1>
      ${
        errors.length > 0 &&
        html`<div class="message message-error" role="alert">
          ${errors.map((error) => html`<p>${error}</p>`)}
        </div>`
      }
      ${steps(visit, facts)}
      <noscript>${pasteForm(visit, pasted, facts.table)}</noscript>
    `,
    status: errors.length > 0 ? 400 : 200,
    headers: { "cache-control": "no-store" },
    database: database.name,
    table: table.name,
  });
}

/** What the script knows of a table, for the page that imports into any table. */
export async function tableFactsReply({ rowhouse, actor, target }: Visit<"table">): Promise<Reply> {
  return reply.json(jsonText(await tableFacts(rowhouse, actor, target)), 200, {
    "cache-control": "no-store",
  });
}

/** The first step. The script adds the others. */
const steps = (visit: Visit, facts: object): Html => html`
  <div class="import" data-import="${jsonText(facts)}">
    ${csrfField(visit)}
    <section class="panel import-file" aria-labelledby="import-file">
      <h2 id="import-file">1. Choose a file</h2>
      <div class="drop-zone">
        <label class="button"
          >Choose a file <input type="file" accept=".csv,.tsv,.txt,.tab,.json,.ndjson,.jsonl,.xlsx"
        /></label>
        <span>or drop it here, or paste rows of a spreadsheet</span>
        <p class="hint">
          CSV, TSV, Excel (XLSX), JSON or lines of JSON, of any size. It is read in your browser first.
        </p>
      </div>
      <details class="import-paste">
        <summary>Paste rows</summary>
        <label class="visually-hidden" for="import-text">Rows, the first with the names of the columns</label>
        <textarea id="import-text" rows="5" class="code" spellcheck="false" wrap="off"></textarea>
        <p><button type="button" class="quiet" data-read>Read these rows</button></p>
      </details>
      <p class="import-status" role="status" tabindex="-1"></p>
    </section>
  </div>
`;
