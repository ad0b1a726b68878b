import type { Schema } from "rowhouse/plugin-api";
import type { DatabaseVersion } from "rowhouse/plugin-api/engine";
import type { Cluster } from "../connect/cluster.js";
import type { Session } from "../connect/session.js";
import { useWithRetry } from "../read/reader.js";
import { buildSchema } from "./build-schema.js";
import { readCatalogue, readFingerprint } from "./catalogue.js";

/** Which transactions are visible: it changes when any transaction commits that has changed something. */
const SNAPSHOT = "select cast(pg_current_snapshot() as text), inet_server_addr(), inet_server_port()";

/**
 * The version and the schema of one database. The version of the data is the snapshot of the server that is read from.
 * The schema is looked at only after the data has changed.
 */
export class Versions {
  #current: Promise<DatabaseVersion> | null = null;
  #next: Promise<DatabaseVersion> | null = null;
  #beganMs = Number.NEGATIVE_INFINITY;
  #latest: DatabaseVersion = { schema: "", data: "" };
  #schema: Schema | null = null;
  #loading: Promise<Schema> | null = null;

  constructor(
    private readonly cluster: Cluster,
    private readonly schemaName: string,
  ) {}

  /** The latest schema that was read; null before the first. */
  get lastSchema(): Schema | null {
    return this.#schema;
  }

  /** @param sinceMs a version whose reading began at this time or later may be returned */
  version(sinceMs = Number.POSITIVE_INFINITY): Promise<DatabaseVersion> {
    if (this.#current !== null && this.#beganMs >= sinceMs) return this.#current;
    this.#next ??= this.#readAfterCurrent();
    return this.#next;
  }

  async #readAfterCurrent(): Promise<DatabaseVersion> {
    await this.#current?.catch(() => undefined);
    this.#next = null;
    this.#beganMs = performance.now();
    this.#current = this.#read();
    return this.#current;
  }

  #read(): Promise<DatabaseVersion> {
    return useWithRetry(this.cluster, "read", async (session) => {
      const { rows } = await session.run({ text: SNAPSHOT, values: [] });
      const data = (rows[0] ?? []).join(" ");
      if (data !== this.#latest.data)
        this.#latest = { schema: await readFingerprint(session, this.schemaName), data };
      return this.#latest;
    });
  }

  /** The same frozen object until the schema changes. */
  async current(): Promise<Schema> {
    const { schema } = await this.version();
    if (this.#schema?.version === schema) return this.#schema;
    this.#loading ??= useWithRetry(this.cluster, "read", (session) => this.#load(session)).finally(
      () => (this.#loading = null),
    );
    this.#schema = await this.#loading;
    return this.#schema;
  }

  /** The schema as a session sees it, with the changes of its own transaction. */
  async at(session: Session): Promise<Schema> {
    const fingerprint = await readFingerprint(session, this.schemaName);
    return this.#schema?.version === fingerprint ? this.#schema : this.#load(session);
  }

  /** The version of the schema that a session sees. */
  readonly fingerprint = (session: Session): Promise<string> => readFingerprint(session, this.schemaName);

  /** The fingerprint is read first: a change in between gives the new schema its old version, and it is read again. */
  async #load(session: Session): Promise<Schema> {
    const version = await readFingerprint(session, this.schemaName);
    return buildSchema(await readCatalogue(session, this.schemaName), version);
  }
}
