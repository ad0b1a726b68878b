import type { Schema } from "rowhouse/plugin-api";
import type { DatabaseVersion } from "rowhouse/plugin-api/engine";
import type { HostAddress } from "../connect/address.js";
import type { Cluster } from "../connect/cluster.js";
import type { Session } from "../connect/session.js";
import { useWithRetry } from "../read/reader.js";
import { buildSchema } from "./build-schema.js";
import { fingerprintOf, readCatalogue, readFingerprint } from "./catalogue.js";

/**
 * Which transactions are visible: it changes when any transaction commits that has changed something. On a standby, the
 * snapshot does not list those that are running, but the time of the last commit changes too.
 */
const SNAPSHOT =
  "select cast(pg_current_snapshot() as text), pg_last_xact_replay_timestamp(), " +
  "inet_server_addr(), inet_server_port()";

/** What is known of the database on one server. */
interface Replica {
  current: Promise<DatabaseVersion> | null;
  next: Promise<DatabaseVersion> | null;
  beganMs: number;
  latest: DatabaseVersion;
  loading: Promise<Schema> | null;
}

/**
 * The version and the schema of one database. The version of the data is the snapshot of the server that is read from.
 * The schema is looked at only after the data has changed.
 */
export class Versions {
  readonly #replicas = new Map<HostAddress, Replica>();
  #schema: Schema | null = null;

  constructor(
    private readonly cluster: Cluster,
    private readonly schemaName: string,
  ) {}

  /** The latest schema that was read; null before the first. */
  get lastSchema(): Schema | null {
    return this.#schema;
  }

  /** @param sinceMs a version whose reading began at this time or later may be returned */
  async version(sinceMs = Number.POSITIVE_INFINITY): Promise<DatabaseVersion> {
    return this.#versionOn(await this.#replica(), sinceMs);
  }

  async #replica(): Promise<Replica> {
    const host = await this.cluster.readingHost();
    const known = this.#replicas.get(host);
    if (known !== undefined) return known;
    const latest = { schema: "", data: "" };
    const replica: Replica = { current: null, next: null, beganMs: -Infinity, latest, loading: null };
    this.#replicas.set(host, replica);
    return replica;
  }

  #versionOn(replica: Replica, sinceMs: number): Promise<DatabaseVersion> {
    if (replica.current !== null && replica.beganMs >= sinceMs) return replica.current;
    replica.next ??= this.#readAfterCurrent(replica);
    return replica.next;
  }

  async #readAfterCurrent(replica: Replica): Promise<DatabaseVersion> {
    await replica.current?.catch(() => undefined);
    replica.next = null;
    replica.beganMs = performance.now();
    replica.current = this.#read(replica);
    return replica.current;
  }

  #read(replica: Replica): Promise<DatabaseVersion> {
    return useWithRetry(this.cluster, "read", async (session) => {
      const { rows } = await session.run({ text: SNAPSHOT, values: [] });
      const data = (rows[0] ?? []).join(" ");
      if (data !== replica.latest.data)
        replica.latest = { schema: await readFingerprint(session, this.schemaName), data };
      return replica.latest;
    });
  }

  /**
   * The same frozen object until the schema changes.
   *
   * @param sinceMs a schema whose version was read at this time or later may be returned
   */
  async current(sinceMs = Number.POSITIVE_INFINITY): Promise<Schema> {
    const replica = await this.#replica();
    const { schema } = await this.#versionOn(replica, sinceMs);
    if (this.#schema?.version === schema) return this.#schema;
    if (replica.loading !== null) {
      // It may have begun before the schema got this version.
      await replica.loading.catch(() => undefined);
      if (this.#schema?.version === schema) return this.#schema;
    }
    replica.loading ??= useWithRetry(this.cluster, "read", (session) => this.#load(session)).finally(
      () => (replica.loading = null),
    );
    const loaded = await replica.loading;
    this.#schema = loaded;
    return loaded;
  }

  /** The schema as a session sees it, with the changes of its own transaction. */
  async at(session: Session): Promise<Schema> {
    const fingerprint = await readFingerprint(session, this.schemaName);
    return this.#schema?.version === fingerprint ? this.#schema : this.#load(session);
  }

  /** A query for the version of the schema. */
  get fingerprintSql(): string {
    return fingerprintOf(this.schemaName);
  }

  /** The version of the schema that a session sees. */
  readonly fingerprint = (session: Session): Promise<string> => readFingerprint(session, this.schemaName);

  /** The fingerprint is read first: a change in between gives the new schema its old version, and it is read again. */
  async #load(session: Session): Promise<Schema> {
    this.cluster.names.clear();
    const version = await readFingerprint(session, this.schemaName);
    return buildSchema(await readCatalogue(session, this.schemaName), version);
  }
}
