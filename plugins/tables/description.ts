import type { FilterClause } from "rowhouse/plugin-api";
import type { Sort } from "./sort.js";

/** For people: `where state = "CA" and price > 5 sorted by name`; empty for the whole table in its own order. */
export function humanDescription(clauses: readonly FilterClause[], sort: Sort | null): string {
  const said = clauses.flatMap(({ description }) => (description === null ? [] : [description]));
  const where = said.length === 0 ? "" : `where ${enumerated(said)}`;
  const sorted = sort === null ? "" : `sorted by ${sort.column}${sort.descending ? " descending" : ""}`;
  return [where, sorted].filter((part) => part !== "").join(" ");
}

function enumerated(items: readonly string[]): string {
  const last = items.at(-1) ?? "";
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} and ${last}`;
}
