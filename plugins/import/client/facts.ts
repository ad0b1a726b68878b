import type { TableFacts } from "./page-facts.js";

/** The facts of a table of the database. @throws Error */
export async function fetchTable(url: string): Promise<TableFacts> {
  const response = await fetch(`${url}/-/import.json`, { cache: "no-store" });
  if (!response.ok) throw new Error(response.statusText);
  return (await response.json()) as TableFacts;
}
