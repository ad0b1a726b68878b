import type { Kernel } from "rowhouse";
import { SERVICE_PAGES } from "../browser/service-pages.js";

const EDIT_PAGES = ["new-row", "import", "structure", "columns", "remove"];

/** A page of each kind, of each database, table, view and query; those for editing of the widest table of each. */
export async function pathsOf(kernel: Kernel): Promise<readonly string[]> {
  const found = ["/", "/-/check?actor=null&action=view-table", "/-/missing", ...SERVICE_PAGES];
  for (const name of kernel.databases.keys()) {
    const home = kernel.urls.database(name);
    const queries = await kernel.service("queries").cannedQueries(name, null);
    found.push(home, `${home}/-/new-table`, ...[...queries.keys()].map((query) => `${home}/${query}`));
    const { tables } = await kernel.database(name).schema();
    const shown = [...tables.values()].filter(({ kind }) => kind !== "shadow");
    const [widest] = shown.toSorted((one, other) => other.columns.length - one.columns.length);
    found.push(...EDIT_PAGES.map((edit) => `${kernel.urls.table(name, widest?.name ?? "")}/-/${edit}`));
    for (const { name: table } of shown) {
      const page = kernel.urls.table(name, table);
      const sql = encodeURIComponent(`select * from "${table}" limit 100`);
      found.push(page, `${home}?sql=${sql}`, ...(await firstRowOf(kernel, page)));
    }
  }
  return found;
}

/** The address of the row that a table's page shows first, if it has one. */
async function firstRowOf(kernel: Kernel, page: string): Promise<readonly string[]> {
  const { body } = await kernel.fetch(`${page}?_size=1&_nocount=1&_nofacet=1&_nosuggest=1`);
  const row = / type-pk"><a href="([^"]+)"/.exec(String(body))?.[1];
  return row === undefined ? [] : [row];
}
