/** What differs between SQL dialects, so that no plugin writes an engine's own SQL. Identifiers are quoted here. */
export interface Dialect {
  quoteIdentifier(name: string): string;
  /** ` limit 10`, ` limit 10 offset 20` */
  limit(count: number, offset?: number): string;
  /** A condition that is true when `column` of the full-text `table` (or any, null) matches parameter `:name`. */
  fullTextMatch(options: {
    readonly table: string;
    readonly column: string | null;
    readonly key: string;
    readonly parameter: string;
    readonly raw: boolean;
  }): string;
  /** The day of a date or timestamp column: `date("col")`. */
  dateOf(column: string): string;
}
