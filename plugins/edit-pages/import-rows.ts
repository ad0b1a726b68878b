import { html, type Reply, type Visit } from "rowhouse/plugin-api";
import { callWith } from "./api.js";
import { done, editPage, formOf, requireWrite } from "./page.js";

type TableVisit = Visit<"table">;

const CONFLICTS = [
  ["", "Stop, and import nothing"],
  ["ignore", "Leave the row that is there"],
  ["replace", "Replace the row"],
  ["upsert", "Change the columns that are named"],
] as const;

/**
 * Imports rows from a file. With a script the file is sent unchanged, in any size. Without scripts its text can be
 * pasted.
 */
export async function importForm(visit: TableVisit): Promise<Reply> {
  await requireInsert(visit);
  return form(visit, { text: "", conflict: "", alter: false }, []);
}

/** @throws Forbidden */
export async function importSubmit(visit: TableVisit): Promise<Reply> {
  await requireInsert(visit);
  const { rowhouse, target } = visit;
  const submitted = await formOf(visit);
  const asked = {
    text: submitted.get("text") ?? "",
    conflict: submitted.get("conflict") ?? "",
    alter: submitted.has("alter"),
  };
  if (asked.text.trim() === "") return form(visit, asked, ["Choose a file, or paste its text"]);
  const url = rowhouse.urls.table(target.database.name, target.table.name);
  const options = [...(asked.conflict === "" ? [] : [asked.conflict]), ...(asked.alter ? ["alter"] : [])];
  const path = `${url}/-/insert${options.length > 0 ? `?${options.map((name) => `${name}=1`).join("&")}` : ""}`;
  const answer = await callWith(visit, path, asked.text, { "content-type": "text/csv" });
  return answer.ok ? done(visit, "Rows imported", url) : form(visit, asked, answer.errors);
}

interface Asked {
  readonly text: string;
  readonly conflict: string;
  readonly alter: boolean;
}

const requireInsert = (visit: TableVisit): Promise<void> =>
  requireWrite(visit, "insert-row", [visit.target.database.name, visit.target.table.name]);

async function form(visit: TableVisit, asked: Asked, errors: readonly string[]): Promise<Reply> {
  const { rowhouse, actor, target } = visit;
  const { database, table } = target;
  const url = rowhouse.urls.table(database.name, table.name);
  const resource = [database.name, table.name] as const;
  const mayChange = await rowhouse.permissions.allowed(actor, "update-row", resource);
  const mayAlter = await rowhouse.permissions.allowed(actor, "alter-table", resource);
  return editPage(visit, {
    title: `Import into ${table.name}`,
    fields: html`
      <div class="drop-zone" data-import="${url}/-/insert" data-table="${url}" hidden>
        <p>
          <label class="button quiet"
            >Choose a file <input type="file" accept=".csv,.tsv,.ndjson,.jsonl"
          /></label>
          or drop it here: CSV, TSV or NDJSON of any size
        </p>
        <progress max="1" value="0" hidden></progress>
        <p class="import-status" role="status"></p>
      </div>
      <div class="field paste">
        <label for="text">CSV, its first line the names of columns</label>
        <textarea id="text" name="text" rows="8" class="code" spellcheck="false">
${`\n${asked.text}`}</textarea>
      </div>
      <p class="field">
        <label for="conflict">When a row with that key is there already</label>
        <select id="conflict" name="conflict">
          ${CONFLICTS.filter(([name]) => mayChange || name === "" || name === "ignore").map(
            ([name, text]) =>
              html`<option value="${name}" ${name === asked.conflict && "selected"}>${text}</option>`,
          )}
        </select>
      </p>
      ${
        mayAlter &&
        html`<p>
          <label
            ><input type="checkbox" name="alter" ${asked.alter && "checked"} /> Add columns that are
            missing</label
          >
        </p>`
      }
    `,
    submit: "Import",
    errors,
    cancel: url,
  });
}
