import type { Schema } from "rowhouse/plugin-api";
import { readCatalogue } from "./catalogue.js";
import type { Connection } from "../open/connection.js";
import type { Readers } from "../read/readers.js";
import { buildSchema } from "./build-schema.js";
import { asVersion } from "./version.js";
import type { TransactionHost } from "../write/transaction.js";

/** The schema of one database, the same object for as long as it holds. */
export class SchemaCache implements TransactionHost {
  #known: Schema | null = null;
  #loading: Promise<Schema> | null = null;

  constructor(private readonly readers: Readers) {}

  /** The schema as it was seen last. */
  get last(): Schema | null {
    return this.#known;
  }

  /** The schema as of now. */
  async current(): Promise<Schema> {
    const { schema: version } = await this.readers.version();
    if (this.#known?.version === version) return this.#known;
    this.#loading ??= this.#load().finally(() => (this.#loading = null));
    return this.#loading;
  }

  /** The schema of this version as `connection` sees it, or null when that sees another by now. */
  async at(connection: Connection, version: number): Promise<Schema | null> {
    if (this.#known?.version === this.#versionText(version)) return this.#known;
    const schema = await this.#snapshot(connection);
    return schema.version === this.#versionText(version) ? schema : null;
  }

  async schemaOn(connection: Connection, touched: boolean): Promise<Schema> {
    if (!touched) {
      const [row] = await connection.all<{ schema_version: number }>({
        sql: "pragma schema_version",
        values: [],
      });
      if (this.#known?.version === this.#versionText(row?.schema_version ?? -1)) return this.#known;
    }
    const catalogue = await readCatalogue(connection);
    const version = this.#versionText(catalogue.version);
    if (touched) return buildSchema(catalogue, `${version} in transaction`);
    this.#known = buildSchema(catalogue, version);
    return this.#known;
  }

  numberOf({ version }: Schema): number | null {
    const number = Number(version.slice(version.indexOf(".") + 1));
    return version === this.#versionText(number) ? number : null;
  }

  #load(): Promise<Schema> {
    return this.readers.use("trusted", undefined, async ({ connection }) => {
      const schema = await this.#snapshot(connection);
      // What somebody else has found meanwhile stays: it may have been handed out already.
      if (this.#known?.version !== schema.version) this.#known = schema;
      return this.#known;
    });
  }

  async #snapshot(connection: Connection): Promise<Schema> {
    await connection.exec("begin");
    try {
      const catalogue = await readCatalogue(connection);
      return buildSchema(catalogue, this.#versionText(catalogue.version));
    } finally {
      await connection.exec("commit");
    }
  }

  #versionText = (schema: number): string => asVersion({ schema, data: 0 }, this.readers.generation).schema;
}
