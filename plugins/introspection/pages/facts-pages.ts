import { actorName, html, isObject, type Html, type Visit } from "rowhouse/plugin-api";
import type { databasesDocument, threadsDocument } from "../documents.js";
import type { versionsDocument } from "../versions.js";
import { code, facts, heading, listing } from "./parts.js";
import { tree } from "./tree.js";

type Instance = Visit<"instance">;
type DocumentOf<Make extends (visit: Instance) => unknown> = Awaited<ReturnType<Make>>;

/** The databases that the actor may view, with their files. */
export function databasesPage({ rowhouse }: Instance, databases: DocumentOf<typeof databasesDocument>): Html {
  return html`
    ${heading(rowhouse, "databases", "Databases")}
    ${
      databases.length === 0
        ? html`<p class="empty">There is no database here that you may view.</p>`
        : listing(
            "Databases",
            ["Database", "Kind", "Size", "File"],
            databases.map(({ name, path, size, is_mutable, is_memory, hash }) => ({
              cells: [
                html`<a href="${rowhouse.urls.database(name)}" dir="auto">${name}</a>`,
                kindText(is_mutable, is_memory),
                size === null ? "" : sizeText(size),
                html`${path !== null && code(path)}
                ${hash !== null && html`<p class="hint">SHA-256 ${code(hash)}</p>`}`,
              ],
            })),
          )
    }
  `;
}

function kindText(isMutable: boolean, isMemory: boolean): string {
  if (isMemory) return "in memory";
  return isMutable ? "can change" : "immutable";
}

/** `1.5 MB`, with the bytes on hover. */
function sizeText(bytes: number): Html {
  const power = bytes < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(bytes) / 3));
  const unit = ["bytes", "kB", "MB", "GB", "TB"][power] ?? "";
  const rounded = (bytes / 1000 ** power).toLocaleString("en", {
    maximumFractionDigits: power === 0 ? 0 : 1,
  });
  return html`<span class="number" title="${bytes.toLocaleString("en")} bytes">${rounded} ${unit}</span>`;
}

/** The versions of Rowhouse, Node and SQLite, and what SQLite was compiled with. */
export function versionsPage(
  { rowhouse }: Instance,
  { rowhouse: own, node, sqlite }: DocumentOf<typeof versionsDocument>,
): Html {
  return html`
    ${heading(rowhouse, "versions", "Versions")}
    ${facts([
      ["Rowhouse", own.version],
      ["Note", own.note],
      ["Node", node.full],
      ["SQLite", sqlite.version],
      ["Full-text search", sqlite.fts_versions.join(", ") || null],
      ["Extensions", Object.keys(sqlite.extensions).join(", ") || null],
    ])}
    ${
      sqlite.compile_options.length > 0 &&
      html`<details>
        <summary>SQLite was compiled with ${sqlite.compile_options.length} options</summary>
        <ul class="plain-list columns-list">
          ${sqlite.compile_options.map((option) => html`<li>${code(option)}</li>`)}
        </ul>
      </details>`
    }
  `;
}

/** The threads of the process, and what it waits for. */
export function threadsPage(
  { rowhouse }: Instance,
  { threads, tasks = [] }: DocumentOf<typeof threadsDocument>,
): Html {
  const counts = new Map<string, number>();
  for (const task of tasks) counts.set(task, (counts.get(task) ?? 0) + 1);
  return html`
    ${heading(rowhouse, "threads", "Threads")}
    ${facts([
      ["Threads", threads.length === 0 ? "none: SQL runs in the main thread" : String(threads.length)],
      ["Active resources", String(tasks.length)],
    ])}
    ${
      counts.size > 0 &&
      listing(
        "Active resources of the process",
        ["Kind", "Number"],
        [...counts].map(([kind, count]) => ({ cells: [code(kind), String(count)] })),
      )
    }
  `;
}

/** Who the request acts for, and what this actor may do everywhere. */
export async function actorPage({ rowhouse, actor }: Instance): Promise<Html> {
  const permissions = [...rowhouse.permissions.registered.values()].filter(
    ({ takes_database }) => !takes_database,
  );
  const allowed = await Promise.all(permissions.map(({ name }) => rowhouse.permissions.allowed(actor, name)));
  return html`
    ${heading(rowhouse, "actor", "Who you are")}
    ${
      actor === null
        ? html`<p>You are not signed in: this request is <strong>anonymous</strong>.</p>`
        : html`<p>You are signed in as <strong dir="auto">${actorName(actor)}</strong>.</p>
            ${tree(isObject(actor) ? actor : {})}`
    }
    <h2>What you may do everywhere</h2>
    ${listing(
      "Permissions for the whole server",
      ["Permission", "You"],
      permissions.map(({ name, description }, index) => ({
        cells: [
          html`${description ?? name}
            <p class="hint">${code(name)}</p>`,
          allowed[index] === true ? "may" : html`<span class="figures">may not</span>`,
        ],
      })),
    )}
  `;
}
