import { WriteRejected, type Schema, type Table, type Transaction } from "rowhouse/plugin-api";
import type { TableChange } from "./table-change.js";
import type { TableDefinition } from "./table-definition.js";

/** The table and the schema before one step of an alteration. */
export interface AlterationContext {
  readonly table: Table;
  readonly schema: Schema;
}

/** One step of an alteration. */
export type Alteration =
  /** Returns a changed definition, with which the table is rebuilt. @throws WriteRejected */
  | { readonly kind: "edit"; edit(definition: TableDefinition, context: AlterationContext): TableDefinition }
  /** Returns an ALTER TABLE statement of SQLite. @throws WriteRejected */
  | { readonly kind: "statement"; sql(definition: TableDefinition, context: AlterationContext): string }
  | { readonly kind: "rename"; readonly to: string };

/** One step of an alteration, as a request describes it, in the forms for both kinds of engines. */
export interface ParsedAlteration {
  /** For engines that rebuild the table. */
  readonly alteration: Alteration;
  /** For engines that alter it by statements. */
  readonly change: TableChange;
  /** Tables that it references, which the actor must be able to view. */
  readonly refersTo: readonly string[];
  /** True if the stored values decide whether it succeeds, so the actor must be able to view the table. */
  readonly testsValues?: boolean;
  /** A column that is renamed or dropped (null), so that its stored column type can be moved or deleted. */
  readonly moves?: { readonly column: string; readonly to: string | null };
}

/** The outcome of an alteration. */
export interface Altered {
  /** The name that the table has now. */
  readonly table: string;
  /** The CREATE statement before and after. */
  readonly before: string;
  readonly after: string;
  /** The SQL that was run. */
  readonly statements: readonly string[];
}

/** The table and the schema in a transaction. @throws WriteRejected if there is no such table */
export async function readContext(transaction: Transaction, name: string): Promise<AlterationContext> {
  const schema = await transaction.schema();
  const table = schema.tables.get(name);
  if (table === undefined) throw new WriteRejected([`no such table: ${name}`]);
  return { table, schema };
}

/** Runs statements and records their SQL for the reply. */
export class StatementRecorder {
  readonly statements: string[] = [];

  constructor(readonly transaction: Transaction) {}

  async run(sql: string): Promise<void> {
    this.statements.push(sql);
    await this.transaction.run(sql);
  }
}
