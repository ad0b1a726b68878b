import type { Collect } from "../hooks.js";
import type { KeyPath } from "../metadata.js";

/** What the metadata says of one thing: of the instance, a database, a table, a query. `{}` where it says nothing. */
export type MetadataBlock = Readonly<Record<string, unknown>>;

/** The metadata tree as it was loaded, plugins' additions merged under it. Never changed by reading it. */
export interface Metadata {
  /** The whole document. */
  readonly document: MetadataBlock;
  /** A level's own block, `{}` where there is none. */
  database(database: string): MetadataBlock;
  /** Of a table or view. */
  table(database: string, table: string): MetadataBlock;
  /** Configured queries of a database by name, the string form turned into `{ sql }`. */
  queries(database: string): Readonly<Record<string, MetadataBlock>>;
  /** Where the document came from, for messages: `metadata.yaml`. */
  readonly source: string;
  /** Where the value at a path was written, for messages: `metadata.yaml, line 3`. */
  readonly placeOf: PlaceOf;
}

/** The file, and the line where that is known. */
export type PlaceOf = (path: KeyPath) => string;

declare module "../hooks.js" {
  interface HookTable {
    /**
     * At start and on `reload()`: blocks to put under the metadata. Of two plugins the later wins, over both
     * what the person's own file says.
     */
    get_metadata: Collect<{ readonly key: string | null }, MetadataBlock>;
  }
}

declare module "../rowhouse.js" {
  interface Services {
    /** The tree as it is now. Synchronous: plugins' additions are gathered at start and on `reloadMetadata`. */
    metadata: { current(): Metadata; reload(): Promise<void> };
  }
  interface Options {
    metadata: { readonly document: unknown; readonly source: string; readonly placeOf?: PlaceOf };
  }
}
