import type { Database, SqlValue } from "rowhouse/plugin-api";
import type { Rows, SqlParams } from "rowhouse/plugin-api/engine";
import { nowSeconds, type TokenPayload } from "../payload.js";
import { createHash } from "node:crypto";

/** A token in the registry. Times are Unix seconds. */
export interface KnownToken {
  readonly id: string;
  /** Null for tokens that were created elsewhere and used here. */
  readonly name: string | null;
  readonly actor: string;
  readonly made: number;
  readonly expires: number | null;
  /** JSON of what it is restricted to. */
  readonly restrictions: string | null;
  /** To the minute. */
  readonly last_used: number | null;
  readonly revoked: number | null;
}

const TABLE = "access_tokens";
const CREATE = `create table if not exists ${TABLE} (
  id text primary key, name text, actor text not null, made integer not null, expires integer,
  restrictions text, last_used integer, revoked integer)`;
const COLUMNS = ["id", "name", "actor", "made", "expires", "restrictions", "last_used", "revoked"] as const;
const ADD = `insert into access_tokens (id, name, actor, made, expires, restrictions)
  values (:id, :name, :actor, :made, :expires, :restrictions)
  on conflict (id) do nothing`;
const NOTE = `insert into access_tokens (id, actor, made, expires, restrictions, last_used)
  select value ->> 'id', value ->> 'actor', value ->> 'made', value ->> 'expires',
    value ->> 'restrictions', value ->> 'used' from json_each(:uses) where true
  on conflict (id) do update set last_used = excluded.last_used`;

const NOTED_EVERY_SECONDS = 60;
const FLUSH_AFTER_MS = 2_000;

interface Use {
  readonly id: string;
  readonly actor: string;
  readonly made: number;
  readonly expires: number | null;
  readonly restrictions: string | null;
  readonly used: number;
}

/**
 * Tokens that were made or used here, in a table of the internal database; several servers may share its file. The first
 * write creates the table, so that tokens are accepted also if the disk has no room for it.
 */
export class TokenRegistry {
  readonly #lastNoted = new Map<string, number>();
  #waiting: Use[] = [];
  #timer: NodeJS.Timeout | null = null;
  #revoked: { readonly version: string; readonly ids: ReadonlySet<string> } | null = null;

  constructor(private readonly database: Database) {}

  /** @returns false if the token is known already */
  async add(token: string, payload: TokenPayload, name: string): Promise<boolean> {
    const { used: _used, ...facts } = factsOf(tokenId(token), payload);
    return (await this.#write(ADD, { ...facts, name })) > 0;
  }

  async isRevoked(token: string): Promise<boolean> {
    const { data } = await this.database.version();
    if (this.#revoked?.version !== data) {
      const rows = await this.#read("select id from access_tokens where revoked is not null");
      this.#revoked = { version: data, ids: new Set(rows.map(([id]) => String(id))) };
    }
    return this.#revoked.ids.has(tokenId(token));
  }

  /** Remembers that a token was used, soon and together with other uses. */
  noteUse(token: string, payload: TokenPayload): void {
    const use = factsOf(tokenId(token), payload);
    // Later or earlier: the clock may have been set back.
    if (Math.abs(use.used - (this.#lastNoted.get(use.id) ?? 0)) < NOTED_EVERY_SECONDS) return;
    this.#lastNoted.set(use.id, use.used);
    this.#waiting.push(use);
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_AFTER_MS).unref();
  }

  /** Writes down the uses that were noted. If that fails, they are lost: a full disk must not keep tokens from use. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const uses = this.#waiting.splice(0);
    if (uses.length === 0) return;
    await this.#write(NOTE, { uses: JSON.stringify(uses) }).catch(() => undefined);
  }

  /** Newest first; those of all actors if `actor` is null. */
  async list(actor: string | null): Promise<readonly KnownToken[]> {
    await this.flush();
    const where = actor === null ? "" : "where actor = :actor";
    const sql = `select ${COLUMNS.join(", ")} from access_tokens ${where} order by made desc, id`;
    return (await this.#read(sql, actor === null ? {} : { actor })).map(toKnownToken);
  }

  /** @returns the revoked token; null if this actor has no such active token */
  async revoke(id: string, actor: string | null): Promise<KnownToken | null> {
    const before = (await this.list(actor)).find((one) => one.id === id && one.revoked === null);
    if (before === undefined) return null;
    const revoked = nowSeconds();
    await this.#write("update access_tokens set revoked = :revoked where id = :id", { revoked, id });
    return { ...before, revoked };
  }

  async #read(sql: string, params: SqlParams = {}): Promise<Rows["rows"]> {
    const table = await this.database.read("select 1 from sqlite_schema where name = ?", [TABLE]);
    return table.rows.length === 0 ? [] : (await this.database.read(sql, params)).rows;
  }

  /** @returns the number of changed rows */
  async #write(sql: string, params: SqlParams): Promise<number> {
    return this.database.write(async (transaction) => {
      await transaction.run(CREATE);
      return (await transaction.run(sql, params)).changes;
    });
  }
}

const factsOf = (id: string, { a, t, d, _r }: TokenPayload): Use => ({
  id,
  actor: a,
  made: t,
  expires: d === undefined || d === 0 ? null : t + d,
  restrictions: _r === undefined ? null : JSON.stringify(_r),
  used: nowSeconds(),
});

const toKnownToken = (row: readonly SqlValue[]): KnownToken =>
  Object.fromEntries(COLUMNS.map((name, index) => [name, row[index] ?? null])) as unknown as KnownToken;

/** The id of a token in the registry, 32 hex digits. The token itself is not stored. */
const tokenId = (token: string): string => createHash("sha256").update(token).digest("hex").slice(0, 32);
