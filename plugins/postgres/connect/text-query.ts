import { Query } from "pg";
import type { BoundSql } from "../sql/statement.js";

/** A result whose values are text, as PostgreSQL writes them. */
export interface TextResult {
  readonly columns: readonly string[];
  /** The object identifiers of the columns' types. */
  readonly types: readonly number[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** True for a statement that only returns rows. */
  readonly isSelect: boolean;
  /** Rows that were returned or changed. */
  readonly changes: number;
  /** Size of all rows as the server sends them. */
  readonly bytes: number;
}

type Done = (error: Error | null) => void;

/**
 * One statement with the extended protocol. The client calls the methods below with the messages of the server, as it does
 * with its own queries. Those copy their configuration, and pass each value to a parser, which takes longer than the rest
 * of a short statement.
 */
export class TextQuery extends Query {
  readonly queryMode = "extended";
  #columns: readonly FieldDescription[] = [];
  #tag = "";
  #bytes = 0;
  readonly #rows: (readonly (string | null)[])[] = [];

  /**
   * @param name of the prepared statement; undefined for a statement that is not prepared
   * @param rowDone is called after each row
   */
  constructor(
    { text, values }: BoundSql,
    readonly name: string | undefined,
    private readonly rowDone: () => void,
    done: Done,
  ) {
    super(text, [...values], (error) => done(error ?? null));
  }

  /** Complete when the server is ready for the next statement. */
  get result(): TextResult {
    const [verb, ...numbers] = this.#tag.split(" ");
    return {
      columns: this.#columns.map(({ name }) => name),
      types: this.#columns.map(({ dataTypeID }) => dataTypeID),
      rows: this.#rows,
      isSelect: verb === "SELECT",
      changes: Number(numbers.at(-1)) || 0,
      bytes: this.#bytes,
    };
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDescription[] }): void {
    this.#columns = fields;
  }

  handleDataRow({ fields, length }: DataRow): void {
    this.#rows.push(fields);
    this.#bytes += length;
    this.rowDone();
  }

  /** @param text `INSERT 0 5` for example, `CREATE TABLE` without a number */
  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#tag = text;
  }
}

interface DataRow {
  readonly fields: readonly (string | null)[];
  readonly length: number;
}

interface FieldDescription {
  readonly name: string;
  readonly dataTypeID: number;
}
