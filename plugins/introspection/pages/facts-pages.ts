import { actorName, html, isObject, type Html, type Visit, type MetadataBlock } from "rowhouse/plugin-api";
import { humanSize, listing, permissionWords, withMarkup, type Translator } from "rowhouse/plugin-api/html";
import type { databasesDocument, threadsDocument } from "../documents.js";
import { translatorOf, tOf } from "../texts.js";
import type { versionsDocument } from "../versions.js";
import { code, facts } from "./parts.js";
import { tree } from "./tree.js";

type Instance = Visit<"instance">;
type DocumentOf<Make extends (visit: Instance) => unknown> = Awaited<ReturnType<Make>>;

/** The databases that the actor may view, with their files. */
export function databasesPage(visit: Instance, databases: DocumentOf<typeof databasesDocument>): Html {
  const reader = translatorOf(visit);
  const { t } = reader;
  if (databases.length === 0) return html`<p class="empty">${t("server.no_databases")}</p>`;
  return listing(
    t("server.databases"),
    [t("server.database"), t("server.kind"), t("server.size"), t("server.file")],
    databases.map(({ name, path, size, is_mutable, is_memory, hash }) => ({
      cells: [
        html`<a href="${visit.rowhouse.urls.database(name)}" dir="auto">${name}</a>`,
        kindText(t, is_mutable, is_memory),
        size === null ? "" : sizeText(reader, size),
        html`${path !== null && code(path)}
        ${hash !== null && html`<p class="hint">SHA-256 ${code(hash)}</p>`}`,
      ],
    })),
  );
}

function kindText(t: Translator["t"], isMutable: boolean, isMemory: boolean): string {
  if (isMemory) return t("server.in_memory");
  return isMutable ? t("server.can_change") : t("server.immutable");
}

/** `1.5 MB`, with the bytes on hover. */
function sizeText({ language, t }: Translator, count: number): Html {
  const bytes = t("server.bytes", { count });
  const size = humanSize(count, language);
  return size === null
    ? html`<span class="number">${bytes}</span>`
    : html`<span class="number" title="${bytes}">${size}</span>`;
}

/** The versions of Rowhouse, Node and SQLite, and what SQLite was compiled with. */
export function versionsPage(
  visit: Instance,
  { rowhouse: own, node, sqlite }: DocumentOf<typeof versionsDocument>,
): Html {
  const t = tOf(visit);
  return html`
    ${facts([
      ["Rowhouse", own.version],
      [t("server.note"), own.note],
      ["Node", node.full],
      ["SQLite", sqlite.version],
      [t("server.full_text"), sqlite.fts_versions.join(", ") || null],
      [t("server.extensions"), Object.keys(sqlite.extensions).join(", ") || null],
    ])}
    ${
      sqlite.compile_options.length > 0 &&
      html`<details>
        <summary>${t("server.options", { count: sqlite.compile_options.length })}</summary>
        <ul class="plain-list columns-list">
          ${sqlite.compile_options.map((option) => html`<li>${code(option)}</li>`)}
        </ul>
      </details>`
    }
  `;
}

/** The threads of the process, and what it waits for. */
export function threadsPage(
  visit: Instance,
  { threads, tasks = [] }: DocumentOf<typeof threadsDocument>,
): Html {
  const { t, number } = translatorOf(visit);
  const counts = new Map<string, number>();
  for (const task of tasks) counts.set(task, (counts.get(task) ?? 0) + 1);
  return html`
    ${facts([
      [t("server.threads"), threads.length === 0 ? t("server.no_threads") : number(threads.length)],
      [t("server.resources"), number(tasks.length)],
    ])}
    ${
      counts.size > 0 &&
      listing(
        t("server.resources_of_process"),
        [t("server.kind"), t("server.number")],
        [...counts].map(([kind, count]) => ({ cells: [code(kind), number(count)] })),
      )
    }
  `;
}

/** Who the request acts for, and what this actor may do everywhere. */
export async function actorPage(visit: Instance): Promise<Html> {
  const { rowhouse, actor } = visit;
  const t = tOf(visit);
  const permissions = [...rowhouse.permissions.registered.values()].filter(
    ({ takes_database }) => !takes_database,
  );
  const allowed = await Promise.all(permissions.map(({ name }) => rowhouse.permissions.allowed(actor, name)));
  const anonymous = html`<strong>${t("server.anonymous")}</strong>`;
  return html`
    ${
      actor === null
        ? html`<p>${withMarkup(t("server.not_signed_in"), { anonymous })}</p>`
        : html`<p>
              ${withMarkup(t("server.signed_in"), {
                name: html`<strong dir="auto">${actorName(actor)}</strong>`,
              })}
            </p>
            ${tree(t, isObject(actor) ? actor : {})}`
    }
    <h2>${t("server.what_you_may")}</h2>
    ${listing(
      t("server.permissions"),
      [t("server.permission"), t("server.you")],
      permissions.map((permission, index) => ({
        cells: [
          html`${permissionWords(t, permission)}
            <p class="hint">${code(permission.name)}</p>`,
          allowed[index] === true
            ? t("server.may")
            : html`<span class="figures">${t("server.may_not")}</span>`,
        ],
      })),
    )}
  `;
}

/** The metadata as a tree. */
export function metadataPage(visit: Instance, document: MetadataBlock): Html {
  const t = tOf(visit);
  if (Object.keys(document).length > 0) return tree(t, document);
  const option = html`<code>--metadata metadata.yaml</code>`;
  return html`<p class="empty">${withMarkup(t("server.no_metadata"), { option })}</p>`;
}
