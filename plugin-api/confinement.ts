/**
 * What a statement may read, whatever way it takes there: subqueries, indexes, virtual tables, views. Anything
 * that is not named here is refused: other tables, the engine's own ones, what can't be told.
 */
export interface Confinement {
  readonly tables: ReadonlySet<string>;
  /** Views that may be read although they show more than these tables. */
  readonly views: ReadonlySet<string>;
  /** The same for attached databases, by the name they are attached under. */
  readonly attached: ReadonlyMap<string, Omit<Confinement, "attached">>;
}
