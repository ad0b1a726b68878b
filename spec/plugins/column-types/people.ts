import { join } from "node:path";
import { temporaryFolder } from "../../harness/folders.js";
import { rowhouseFor, type Contents, type TestReply, type TestRowhouse } from "../../harness/index.js";

/** A table with a column for each type. */
export const PEOPLE = `create table people (id integer primary key, name text, email text, homepage text,
  settings text, portrait text, notes text, born text, seen text);`;

const TYPES = {
  email: "email",
  homepage: "url",
  settings: { type: "json", config: null },
  portrait: "image",
  notes: "textarea",
  born: "date",
  seen: "datetime",
};

/** The types of `people`, and whatever else the metadata is to say of the table. */
export const metadataOf = (columnTypes: unknown = TYPES): object => ({
  databases: { library: { tables: { people: { column_types: columnTypes } } } },
});

/** People with typed columns. */
export const typedPeople = (contents: Contents = {}): Promise<TestRowhouse> =>
  rowhouseFor({ metadata: metadataOf(), ...contents, sql: `${PEOPLE}\n${contents.sql ?? ""}` });

/** A file of its own for the internal database. */
export const internalFile = (): string => join(temporaryFolder(), "internal.db");

/** Sets the type of a column of `people`. */
export const setType = (
  rowhouse: TestRowhouse,
  column: string,
  columnType: unknown,
  as: string | null = "root",
): Promise<TestReply> =>
  rowhouse.post("/library/people/-/set-column-type", {
    ...(as !== null && { as }),
    json: { column, column_type: columnType },
  });

/** The inside of the cell of a column on a page. */
export function cellOf({ text }: TestReply, column: string): string {
  const [, inside] = new RegExp(`<td class="col-${column} [^>]*>(.*?)</td>`, "s").exec(text) ?? [];
  return inside ?? "no such cell";
}
