import {
  csrfField,
  html,
  jsonText,
  NotFound,
  pageReply,
  permissionChain,
  reply,
  type Html,
  type Reply,
  type Visit,
} from "rowhouse/plugin-api";
import { acceptsWrites } from "rowhouse/plugin-api/engine";
import type { PageFacts } from "./client/page-facts.js";
import { databaseFacts, tableFacts } from "./facts.js";
import { pasteForm, type Pasted } from "./paste-form.js";
import { tOf } from "./texts.js";

/** The page that makes a table of a file. */
export async function databaseImport(visit: Visit<"database">): Promise<Reply> {
  const { rowhouse, actor, target } = visit;
  const t = tOf(visit);
  const { database } = target;
  const facts = { database: await databaseFacts(rowhouse, actor, database), table: null };
  return pageReply(visit, {
    template: "import.html",
    title: t("import.title", { name: database.name }),
    content: html`
      <h1 dir="auto">${t("import.heading", { name: database.name })}</h1>
      ${steps(visit, facts)}
      <noscript>
        <p class="empty">${t("import.no_script")}</p>
        <p>
          <a class="button" href="${rowhouse.urls.database(database.name)}/-/new-table"
            >${t("import.create_table")}</a
          >
        </p>
      </noscript>
    `,
    headers: { "cache-control": "no-store" },
    context: { is_translated: true },
    database: database.name,
  });
}

/** The page that imports a file into a table. Without scripts it has a form for pasted CSV. */
export async function tableImport(visit: Visit<"table">): Promise<Reply> {
  await requireView(visit);
  return tablePage(visit, { text: "", conflict: "", alter: false }, []);
}

/** Why nothing was imported: in English by the JSON API, or in the language of the page. */
export interface ImportError {
  readonly text: string;
  readonly isEnglish: boolean;
}

/** The same with what was pasted, and the errors in it. */
export async function tablePage(
  visit: Visit<"table">,
  pasted: Pasted,
  errors: readonly ImportError[],
): Promise<Reply> {
  const { rowhouse, actor, target } = visit;
  const t = tOf(visit);
  const { database, table } = target;
  const facts = {
    database: await databaseFacts(rowhouse, actor, database),
    table: await tableFacts(rowhouse, actor, target),
  };
  return pageReply(visit, {
    template: "import.html",
    title: t("import.title", { name: table.name }),
    content: html`
      <h1 dir="auto">${t("import.heading", { name: table.name })}</h1>
      ${
        errors.length > 0 &&
        html`<div class="message message-error" role="alert">
          ${errors.map(({ text, isEnglish }) => html`<p ${isEnglish && html`lang="en"`}>${text}</p>`)}
        </div>`
      }
      ${steps(visit, facts)}
      <noscript>${pasteForm(visit, pasted, facts.table)}</noscript>
    `,
    status: errors.length > 0 ? 400 : 200,
    headers: { "cache-control": "no-store" },
    context: { is_translated: true },
    database: database.name,
    table: table.name,
  });
}

/** What the script knows of a table, for the page that imports into any table. */
export async function tableFactsReply(visit: Visit<"table">): Promise<Reply> {
  await requireView(visit);
  const { rowhouse, actor, target } = visit;
  return reply.json(jsonText(await tableFacts(rowhouse, actor, target)), 200, {
    "cache-control": "no-store",
  });
}

/** The page and the facts show the columns of the table. @throws Forbidden, NotFound for tables that cannot be written */
export async function requireView({ rowhouse, actor, target }: Visit<"table">): Promise<void> {
  const refusal = "You do not have permission to view this table";
  await rowhouse.permissions.require(actor, permissionChain(target), refusal);
  if (!acceptsWrites(target.table))
    throw new NotFound(`This ${target.table.kind === "view" ? "view" : "table"} can't be changed`);
}

/** The first step. The script adds the others. */
function steps(visit: Visit, facts: PageFacts): Html {
  const t = tOf(visit);
  return html`
    <div class="import" data-import="${jsonText(facts)}">
      ${csrfField(visit)}
      <section class="panel import-file" aria-labelledby="import-file">
        <h2 id="import-file">${t("import.first")}</h2>
        <div class="drop-zone">
          <label class="button"
            >${t("import.choose")}
            <input type="file" accept=".csv,.tsv,.txt,.tab,.json,.ndjson,.jsonl,.geojson,.xlsx"
          /></label>
          <span>${t("import.drop")}</span>
          <p class="hint">${t("import.kinds")}</p>
        </div>
        <details class="import-paste">
          <summary>${t("import.paste")}</summary>
          <label class="visually-hidden" for="import-text">${t("import.rows")}</label>
          <textarea id="import-text" rows="5" class="code" spellcheck="false" wrap="off"></textarea>
          <p><button type="button" class="quiet" data-read>${t("import.read")}</button></p>
        </details>
        <p class="import-status" role="status" tabindex="-1"></p>
      </section>
    </div>
  `;
}
