import type { Schema } from "rowhouse/plugin-api";
import type { Connection } from "../open/connection.js";
import { readCatalogue } from "./catalogue.js";
import type { Readers } from "../read/readers.js";
import { buildSchema } from "./build-schema.js";
import { asVersion } from "./version.js";
import type { SchemaLookup } from "../write/transaction.js";

/** The schema of one database: the same object until the schema changes. */
export class SchemaCache implements SchemaLookup {
  /** The latest schema that was read; null before the first. A field, since each permission check on a table reads it. */
  last: Schema | null = null;
  #loading: Promise<Schema> | null = null;

  constructor(private readonly readers: Readers) {}

  /** The current schema. @param sinceMs one that was current at this time or later may be returned */
  async current(sinceMs?: number): Promise<Schema> {
    const { schema: version } = await this.readers.version(sinceMs);
    if (this.last?.version === version) return this.last;
    if (this.#loading !== null) {
      // It may have begun before the schema got this version.
      await this.#loading.catch(() => undefined);
      if (this.last?.version === version) return this.last;
    }
    this.#loading ??= this.#load().finally(() => (this.#loading = null));
    return this.#loading;
  }

  /** The schema of this version; null if `connection` sees another version by now. */
  async at(connection: Connection, version: number): Promise<Schema | null> {
    if (this.last?.version === this.#versionText(version)) return this.last;
    const schema = await this.#snapshot(connection);
    return schema.version === this.#versionText(version) ? schema : null;
  }

  async committedOn(connection: Connection): Promise<Schema> {
    const [row] = await connection.all<{ schema_version: number }>({ sql: "pragma schema_version" });
    if (this.last?.version === this.#versionText(row?.schema_version ?? -1)) return this.last;
    const catalogue = await readCatalogue(connection);
    return this.#keep(await buildSchema(catalogue, this.#versionText(catalogue.version)));
  }

  async changedOn(connection: Connection): Promise<Schema> {
    const catalogue = await readCatalogue(connection);
    return buildSchema(catalogue, `${this.#versionText(catalogue.version)} in transaction`);
  }

  numberOf({ version }: Schema): number | null {
    const number = Number(version.slice(version.indexOf(".") + 1));
    return version === this.#versionText(number) ? number : null;
  }

  #load(): Promise<Schema> {
    return this.readers.use(async ({ connection }) => this.#keep(await this.#snapshot(connection)));
  }

  /** A schema of the same version that was stored meanwhile is kept: callers may have it already. */
  #keep(schema: Schema): Schema {
    if (this.last?.version !== schema.version) this.last = schema;
    return this.last;
  }

  async #snapshot(connection: Connection): Promise<Schema> {
    await connection.exec("begin");
    const catalogue = await readCatalogue(connection).finally(() => connection.exec("commit"));
    return buildSchema(catalogue, this.#versionText(catalogue.version));
  }

  #versionText = (schema: number): string => asVersion({ schema, data: 0 }, this.readers.generation).schema;
}
