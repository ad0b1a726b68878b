import {
  StartupError,
  type Database,
  type Schema,
  type SqlParams,
  type Transaction,
} from "rowhouse/plugin-api";
import type {
  Analysis,
  Capabilities,
  DatabaseDescription,
  DatabaseLoad,
  DatabaseLocation,
  DatabaseVersion,
  Health,
  JsonReadOptions,
  JsonRows,
  LongBlobs,
  ReadOptions,
  Rows,
  StoredBlob,
  StreamOptions,
  WriteOptions,
} from "rowhouse/plugin-api/engine";
import {
  InvalidSql,
  ReadOnlyDatabase,
  StatementConfined,
  unlessInterrupted,
} from "rowhouse/plugin-api/errors";
import { Cluster, type ClusterPlan } from "./connect/cluster.js";
import { asRowhouseError, isRejectedLogin } from "./connect/errors.js";
import { Reader, useWithRetry, type Query } from "./read/reader.js";
import { analyse } from "./schema/analyse.js";
import { Versions } from "./schema/versions.js";
import { postgresDialect } from "./sql/dialect.js";
import { Writer } from "./write/writer.js";

const CAPABILITIES: Capabilities = {
  dialect: "postgres",
  interruptible: true,
  untrustedSql: false,
  snapshotReads: true,
  fullTextSearch: true,
  json: true,
  attach: false,
  download: false,
  multiWriter: true,
  maxParameters: 65_535,
  maxStatementBytes: 1_000_000,
};

/** Why a role must not run untrusted SQL; null if it may. The statement runs as this role. */
const READ_ROLE_PROBLEM = `
  select case
    when (select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls
      from pg_roles where rolname = current_user) then 'is a superuser, or may create roles or databases'
    when current_user = $1 then 'is the role that writes: name another one'
    when pg_has_role(current_user, $1, 'member') then 'is a member of the role that writes'
    when exists (select 1 from pg_roles r where r.rolname like 'pg\\_%' and r.rolname <> 'pg_read_all_data'
      and r.rolname <> 'pg_database_owner' and pg_has_role(current_user, r.oid, 'member'))
      then 'is a member of a predefined role of the server'
    when exists (select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $2 and c.relkind in ('r', 'p')
        and has_table_privilege(c.oid, 'insert, update, delete, truncate')) then 'may write to a table'
  end`;

/** Of a long BLOB. It arrives as text of twice this length. */
const PIECE_BYTES = 2 ** 20;

/** To plan takes a millisecond, but it waits for locks of transactions that change the table. */
const ESTIMATE_LIMIT_MS = 200;

export interface PostgresPlan {
  readonly location: DatabaseLocation;
  /** The address without secrets, for listings. */
  readonly shown: string;
  readonly cluster: ClusterPlan;
  readonly timeLimitMs: number;
}

/** One schema of a database of a PostgreSQL cluster. */
export class PostgresDatabase implements Database {
  readonly name: string;
  readonly mutable: boolean;
  readonly memory = false;
  readonly internal: boolean;
  readonly capabilities: Capabilities;
  readonly dialect = postgresDialect;
  readonly #cluster: Cluster;
  readonly #versions: Versions;
  readonly #reader: Reader;
  readonly #writer: Writer;

  constructor(private readonly plan: PostgresPlan) {
    const { location, cluster } = plan;
    this.name = location.name;
    this.mutable = location.mutable;
    this.internal = location.internal === true;
    this.capabilities = { ...CAPABILITIES, untrustedSql: cluster.address.readRole !== null };
    this.#cluster = new Cluster(cluster);
    this.#versions = new Versions(this.#cluster, cluster.address.schema);
    this.#reader = new Reader({
      database: location.name,
      cluster: this.#cluster,
      defaultTimeLimitMs: plan.timeLimitMs,
    });
    this.#writer = new Writer({
      database: location.name,
      cluster: this.#cluster,
      versions: this.#versions,
      lockWaitMs: cluster.lockWaitMs,
      hasStandbys: cluster.address.hosts.length > 1,
    });
  }

  readonly longBlobs: LongBlobs = {
    size: (expression) => `octet_length(${expression})`,
    read: (blob) => this.#blobPieces(blob),
  };

  async *#blobPieces({ value, source, where, params }: StoredBlob): AsyncGenerator<Uint8Array> {
    const sql =
      `select substr(bytes, place + 1, ${PIECE_BYTES}) from ` +
      `(select ${value} as bytes from ${source} where ${where} limit 1) as found ` +
      `cross join lateral generate_series(0, octet_length(bytes) - 1, ${PIECE_BYTES}) as places(place)`;
    for await (const { rows } of this.stream(sql, params, { batchSize: 1 }))
      for (const [piece] of rows) if (piece instanceof Uint8Array) yield piece;
  }

  async read(sql: string, params?: SqlParams, options: ReadOptions = {}): Promise<Rows> {
    return this.#reader.read(await this.#query(sql, params, options));
  }

  async readJson(sql: string, params?: SqlParams, options: JsonReadOptions = {}): Promise<JsonRows> {
    return this.#reader.readJson(await this.#query(sql, params, options));
  }

  async *stream(sql: string, params?: SqlParams, options: StreamOptions = {}): AsyncGenerator<Rows> {
    yield* this.#reader.stream(await this.#query(sql, params, options));
  }

  async *streamJson(
    sql: string,
    params?: SqlParams,
    options: StreamOptions & JsonReadOptions = {},
  ): AsyncGenerator<JsonRows> {
    yield* this.#reader.streamJson(await this.#query(sql, params, options));
  }

  async write<T>(work: (transaction: Transaction) => Promise<T>, options?: WriteOptions<T>): Promise<T> {
    if (!this.mutable) throw new ReadOnlyDatabase();
    return this.#writer.write(work, options);
  }

  async analyse(sql: string): Promise<Analysis> {
    const schema = await this.schema();
    return useWithRetry(this.#cluster, "read", (session) => analyse(session, schema, sql));
  }

  get lastSchema(): Schema | null {
    return this.#versions.lastSchema;
  }

  schema(sinceMs?: number): Promise<Schema> {
    return this.#versions.current(sinceMs);
  }

  version(sinceMs?: number): Promise<DatabaseVersion> {
    return this.#versions.version(sinceMs);
  }

  async describe(): Promise<DatabaseDescription> {
    // The size of a table that another transaction changes is known after that transaction.
    const text =
      "select coalesce(sum(pg_total_relation_size(c.oid)), 0) from pg_class c " +
      "join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relkind in ('r', 'm') " +
      "and c.oid not in (select relation from pg_locks where mode = 'AccessExclusiveLock' and relation is not null)";
    const { rows } = await useWithRetry(this.#cluster, "read", (session) =>
      session.run({ text, values: [this.plan.cluster.address.schema] }),
    );
    return { path: null, shownPath: this.plan.shown, sizeBytes: Number(rows[0]?.[0] ?? 0), hash: null };
  }

  /** @throws StartupError if the schema does not exist, or may not be used */
  async checkSchema(): Promise<void> {
    const { schema, user } = this.plan.cluster.address;
    const text = "select has_schema_privilege(to_regnamespace(quote_ident($1)), 'usage')";
    const { rows } = await useWithRetry(this.#cluster, "read", (session) =>
      session.run({ text, values: [schema] }),
    );
    const mayUse = rows[0]?.[0] ?? null;
    if (mayUse === null) throw new StartupError(`The database has no schema ${schema}. Create it first`);
    if (mayUse !== "t") throw new StartupError(`The login ${user} may not use the schema ${schema}`);
  }

  /** @throws StartupError if the role for untrusted SQL could do more than read */
  async checkReadRole(): Promise<void> {
    const { readRole, user } = this.plan.cluster.address;
    if (readRole === null) return;
    const { rows } = await useWithRetry(this.#cluster, "untrusted", (session) =>
      session.run({ text: READ_ROLE_PROBLEM, values: [user, this.plan.cluster.address.schema] }),
    ).catch((error: unknown) => {
      if (!isRejectedLogin(error)) throw error;
      throw new StartupError(`The read_role ${readRole} was rejected by the database server`, 1, {
        cause: error,
      });
    });
    const problem = rows[0]?.[0] ?? null;
    if (problem !== null) throw new StartupError(`The read_role ${readRole} ${problem}`);
  }

  async estimateRows(sql: string, params?: SqlParams): Promise<number | null> {
    const options = { timeLimitMs: ESTIMATE_LIMIT_MS };
    const explained = await unlessInterrupted(this.read(`explain (format json) ${sql}`, params, options));
    if (explained === null) return null;
    const { rows } = explained;
    const plan: unknown = JSON.parse(String(rows[0]?.[0] ?? "[]"));
    const [{ Plan: { "Plan Rows": estimate = null } = {} } = {}] = plan as readonly {
      readonly Plan?: { readonly "Plan Rows"?: number };
    }[];
    return estimate;
  }

  async health(): Promise<Health> {
    try {
      await this.version();
      return { state: this.mutable ? "ready" : "read-only", reason: null };
    } catch (error) {
      return { state: "unavailable", reason: asRowhouseError(error).message };
    }
  }

  load(): DatabaseLoad {
    return { ...this.#reader.load, waitingWrites: this.#writer.waiting };
  }

  async close(): Promise<void> {
    await this.#writer.close();
    await this.#cluster.close();
  }

  async #query<Options extends ReadOptions>(
    sql: string,
    params: SqlParams | undefined,
    options: Options,
  ): Promise<Query<Options>> {
    // The name of version 0.1: without it, the statement would read every table.
    if ("confine" in options) throw new InvalidSql("The read option confine is now called allowlist");
    const isUntrusted = (options.trust ?? "trusted") !== "trusted";
    if (isUntrusted && !this.capabilities.untrustedSql) {
      throw new InvalidSql("This database runs no untrusted SQL: it has no read_role");
    }
    const refusal = isUntrusted ? postgresDialect.refusal(sql) : null;
    if (refusal !== null) throw new InvalidSql(refusal);
    if (options.allowlist !== undefined) await this.#requireAllTables(options.allowlist);
    return this.#reader.query(sql, params, options);
  }

  /** Which tables a statement reads can't be shown, so a statement with a restriction must be allowed to read them all. */
  async #requireAllTables({ tables }: NonNullable<ReadOptions["allowlist"]>): Promise<void> {
    const all = [...(await this.schema()).tables.keys()];
    if (!all.every((name) => tables.has(name))) throw new StatementConfined();
  }
}
