import type { Actor } from "../access/permissions.js";
import type { Database } from "../engine/database.js";
import type { CostlyStep, StatementRun } from "../engine/advice.js";

/** Why a statement or a table is slow, and what to do. */
export interface Advice {
  /** `reads every row of books`, `sorts rows for order by`. */
  readonly reason: string;
  /** A CREATE INDEX statement; null if no index would help. */
  readonly index: string | null;
}

/** Advice on a statement. Pages write it in the language of the reader. */
export interface StatementAdvice extends Advice {
  /** What `reason` says. JSON documents, which are English, do not contain it. */
  readonly steps: readonly Pick<CostlyStep, "kind" | "table" | "purpose">[];
}

declare module "../kernel/rowhouse.js" {
  interface Services {
    advice: {
      /**
       * The scans and sorts of a statement. Empty if the actor may not view one of its tables, or not all rows and
       * columns of it: the plan would disclose names, rules and the number of rows.
       */
      ofStatement(actor: Actor | null, statement: StatementRun): Promise<readonly StatementAdvice[]>;
      /** The same for the statement that caused an error by taking too long; empty for other errors. */
      ofError(actor: Actor | null, error: unknown): Promise<readonly StatementAdvice[]>;
      /**
       * Missing indexes of a whole database: foreign keys, configured facets and sort columns, and columns of large
       * tables that people filter by. For operators: permissions are not checked.
       */
      ofDatabase(database: Database): Promise<readonly Advice[]>;
    };
  }
}
