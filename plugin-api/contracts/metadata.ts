import { defineHooks, hook, type HooksOf } from "../kernel/define-hooks.js";
import { objectOf } from "../kernel/hook-results.js";
import type { KeyPath } from "../metadata/key-path.js";

/** The metadata of the instance, a database, a table or a query; `{}` if there is none. */
export type MetadataBlock = Readonly<Record<string, unknown>>;

/** The metadata with the additions of plugins. It is immutable. */
export interface Metadata {
  /** The whole document. */
  readonly document: MetadataBlock;
  /** The block of a database; `{}` if there is none. */
  database(database: string): MetadataBlock;
  /** The block of a table or view; `{}` if there is none. */
  table(database: string, table: string): MetadataBlock;
  /** The queries of a database by name; the short form, a string, becomes `{ sql }`. */
  queries(database: string): Readonly<Record<string, MetadataBlock>>;
  /** The name of the file, for messages: `metadata.yaml`. */
  readonly source: string;
  /** The position of the value at a path, for messages: `metadata.yaml, line 3`. */
  readonly placeOf: PlaceOf;
}

/** Returns the file and, if known, the line of a value. */
export type PlaceOf = (path: KeyPath) => string;

/** The hooks of the plugin that owns this contract. */
export const metadataHooks = defineHooks({
  /**
   * At start and on `reload()`: additional metadata. Keys of the metadata file win over those of plugins, and those of
   * later plugins over those of earlier ones.
   */
  get_metadata: hook.collect<{ readonly key: string | null }, MetadataBlock>({
    // The additions may hold allow blocks. They change only when the metadata is loaded again.
    affects: "nothing",
    enforces: true,
    expects: objectOf("an object like the metadata file"),
  }),
});

declare module "../kernel/hooks.js" {
  interface HookTable extends HooksOf<typeof metadataHooks> {}
}

declare module "../kernel/rowhouse.js" {
  interface Services {
    /** `current()` is synchronous: plugins are called at start and by `reload()`. */
    metadata: { current(): Metadata; reload(): Promise<void> };
  }
  interface Options {
    metadata: { readonly document: unknown; readonly source: string; readonly placeOf?: PlaceOf };
  }
}
