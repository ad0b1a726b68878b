import {
  documentReply,
  getEndpoint,
  type DescribedDatabase,
  type DescribedTable,
  type Endpoint,
  type JsonSchema,
} from "rowhouse/plugin-api/openapi";
import { mayWrite, TEXT } from "./common.js";

const NEW_TYPE = { enum: ["text", "integer", "float", "blob", null] };
const MATCHES = {
  type: ["boolean", "null"],
  description: "All values exist in fk_table; null if not compared",
};

/** The endpoint that lists the tables which foreign keys can reference, for actors who may create tables. */
export function targetEndpoints(described: DescribedDatabase): readonly Endpoint[] {
  const { database, may } = described;
  if (!database.mutable || !may("create-table")) return [];
  return [
    getEndpoint(described, "/-/foreign-key-targets", {
      id: "foreign_key_targets",
      summary: `Tables of ${database.name} that a foreign key can reference`,
      reply: documentReply("Done", { targets: listOf({ fk_table: TEXT, fk_column: TEXT, type: NEW_TYPE }) }),
    }),
  ];
}

/** The endpoint that suggests foreign keys of a table, for actors who may alter it. */
export function suggestionEndpoints(described: DescribedTable): readonly Endpoint[] {
  const { table } = described;
  if (table.kind !== "table" || !mayWrite(described, "alter-table")) return [];
  return [
    getEndpoint(described, "/-/foreign-key-suggestions", {
      id: "foreign_key_suggestions",
      summary: `Foreign keys that the names of columns of ${table.name} suggest`,
      reply: documentReply("Done", {
        suggestions: listOf({ column: TEXT, fk_table: TEXT, fk_column: TEXT, matches: MATCHES }),
      }),
    }),
  ];
}

const listOf = (members: JsonSchema): JsonSchema => ({
  type: "array",
  items: { type: "object", properties: members, required: Object.keys(members) },
});
