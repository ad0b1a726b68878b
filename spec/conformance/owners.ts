/** The parts of the product that recorded groups wait for. */
export type Owner = "House" | "Reading" | "Access" | "Writing";

const owners: Readonly<Record<Owner, readonly string[]>> = {
  House: ["instance", "database", "sql", "table", "filters", "sort-and-paging", "shapes", "row"],
  Reading: ["facets", "search", "labels", "csv", "blobs", "canned-queries", "errors", "introspection"],
  Access: ["permissions", "tokens"],
  Writing: [
    "write-insert",
    "write-upsert",
    "write-update",
    "write-delete",
    "write-create",
    "write-drop",
    "beyond-peer",
  ],
};

/** Parts that are done: their groups are replayed by every `npm test`. */
const finished: readonly Owner[] = ["House", "Reading", "Access"];

/** The part that a group still waits for; null when it is to be replayed. ROWHOUSE_ALL_GROUPS=1 replays all. */
export function waitsFor(group: string): Owner | null {
  const owner = (Object.keys(owners) as Owner[]).find((name) => owners[name].includes(group));
  if (owner === undefined) throw new Error(`The group ${group} has no owner`);
  if (finished.includes(owner) || process.env["ROWHOUSE_ALL_GROUPS"] === "1") return null;
  return owner;
}
