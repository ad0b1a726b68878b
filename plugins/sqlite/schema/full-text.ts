import type { FullText } from "rowhouse/plugin-api";
import type { CatalogueEntry } from "./catalogue.js";
import { identifierText, splitAtCommas, tokenize, type Token } from "../sql/tokenizer.js";

/** `create virtual table t using fts5(a, content="docs")`, taken apart. */
interface VirtualTable {
  readonly module: string;
  /** The text between the commas of the module's brackets, as tokens. */
  readonly options: readonly (readonly Token[])[];
}

/** The module of a virtual table in lower case; null for any other table. */
export function moduleOf(entry: CatalogueEntry): string | null {
  return readVirtualTable(entry)?.module ?? null;
}

/**
 * Full-text indexes by the table they serve: the one over it, or the full-text table itself.
 * Of several over one table the first in catalogue order counts.
 */
export function fullTextIndexes(
  entries: readonly CatalogueEntry[],
  modules: ReadonlyMap<string, string | null>,
): ReadonlyMap<string, FullText> {
  const names = new Map(entries.map(({ name }) => [name.toLowerCase(), name]));
  const found = new Map<string, FullText>();
  for (const entry of entries) {
    const module = modules.get(entry.name);
    if (module !== "fts3" && module !== "fts4" && module !== "fts5") continue;
    const content = contentOf(readVirtualTable(entry));
    const contentTable = content === null ? null : (names.get(content.toLowerCase()) ?? content);
    const fullText = Object.freeze({ table: entry.name, contentTable, module });
    found.set(entry.name, fullText);
    if (contentTable !== null && !found.has(contentTable)) found.set(contentTable, fullText);
  }
  return found;
}

function readVirtualTable({ type, rootpage, sql }: CatalogueEntry): VirtualTable | null {
  if (type !== "table" || rootpage !== 0 || sql === null) return null;
  const tokens = tokenize(sql);
  const using = tokens.findIndex((token) => token.kind === "name" && token.text.toLowerCase() === "using");
  const module = tokens[using + 1];
  if (using === -1 || module === undefined) return null;
  return {
    module: identifierText(module).toLowerCase(),
    options: splitAtCommas(tokens.slice(using + 3, -1)),
  };
}

/** The table named by `content=`, in any way of quoting; null when there is none, or a contentless index. */
function contentOf(table: VirtualTable | null): string | null {
  for (const [key, equals, value] of table?.options ?? []) {
    const isContent = key?.text.toLowerCase() === "content" && equals?.text === "=";
    if (!isContent || value === undefined) continue;
    const name = identifierText(value);
    return name === "" ? null : name;
  }
  return null;
}
