import { randomBytes } from "node:crypto";
import { BadRequest, type Database, type SqlValue } from "rowhouse/plugin-api";
import { MOST_OF_ONE_OWNER, selectVisible } from "./select-visible.js";

/** A table or view of a database, by name. */
export interface ViewOf {
  readonly database: string;
  readonly table: string;
}

/** What a view shows: the arguments of a page of rows. */
export interface SavedQuery {
  readonly name: string;
  /** The query string of the page, without `?`. */
  readonly query: string;
  /** The text after `#` of the address: the settings of a chart. */
  readonly fragment: string;
  /** Private views are listed only for their owner. */
  readonly isPrivate: boolean;
}

export interface SavedView extends SavedQuery, ViewOf {
  readonly id: string;
  /** The id of the actor who saved it. */
  readonly owner: string;
  /** As `2026-01-31T12:00:00.000Z`. */
  readonly saved: string;
}

const CREATE = `create table if not exists saved_views (
  id text primary key, database_name text not null, table_name text not null, owner text not null, name text not null,
  query text not null, fragment text not null, is_private integer not null, saved text not null,
  unique (database_name, table_name, owner, name))`;
const SAVE = `insert into saved_views
    (id, database_name, table_name, owner, name, query, fragment, is_private, saved)
  values (:id, :database, :table, :owner, :name, :query, :fragment, :isPrivate, :saved)
  on conflict (database_name, table_name, owner, name) do update set query = excluded.query,
    fragment = excluded.fragment, is_private = excluded.is_private, saved = excluded.saved`;
const RENAME = `update or replace saved_views set table_name = :after
  where database_name = :database and table_name = :before`;

export const COLUMNS_OF_VIEWS = [
  "id",
  "database_name",
  "table_name",
  "owner",
  "name",
  "query",
  "fragment",
  "is_private",
  "saved",
] as const;

/** Views in a table of the internal database. Every read names the actor, so that no private view of others is found. */
export class ViewStore {
  private constructor(private readonly database: Database) {}

  static async open(database: Database): Promise<ViewStore> {
    await database.write((transaction) => transaction.run(CREATE));
    return new ViewStore(database);
  }

  /** The views of the actor, then the shared ones of others, both by name. */
  list({ database, table }: ViewOf, actor: string | null): Promise<readonly SavedView[]> {
    return this.#read("database_name = :database and table_name = :table", { database, table, actor });
  }

  /** The views of the actor of all tables, then the shared ones of others. */
  all(actor: string | null): Promise<readonly SavedView[]> {
    return this.#read("true", { actor });
  }

  /** Replaces the view of the same owner with this name. @throws BadRequest for too many views */
  async save(of: ViewOf, owner: string, view: SavedQuery): Promise<SavedView> {
    const values = {
      ...view,
      ...of,
      owner,
      id: randomBytes(8).toString("hex"),
      saved: new Date().toISOString(),
    };
    const id = await this.database.write(async (transaction) => {
      await transaction.run(SAVE, { ...values, isPrivate: view.isPrivate ? 1 : 0 });
      const counted = await transaction.all("select count(*) from saved_views where owner = ?", [owner]);
      if (Number(counted.rows[0]?.[0]) > MOST_OF_ONE_OWNER)
        throw new BadRequest(`An actor can save ${MOST_OF_ONE_OWNER} views. Delete one first`);
      const found = await transaction.all(
        "select id from saved_views where database_name = ? and table_name = ? and owner = ? and name = ?",
        [of.database, of.table, owner, view.name],
      );
      return String(found.rows[0]?.[0]);
    });
    return { ...values, id };
  }

  /** The view with this id if the actor may see it. */
  async find({ database, table }: ViewOf, id: string, actor: string | null): Promise<SavedView | null> {
    const where = "database_name = :database and table_name = :table and id = :id";
    const [found] = await this.#read(where, { database, table, id, actor });
    return found ?? null;
  }

  async delete(id: string): Promise<void> {
    await this.database.write((transaction) => transaction.run("delete from saved_views where id = ?", [id]));
  }

  /** Moves the views of a renamed table. They replace what a former table of the new name left under the same names. */
  async rename(database: string, before: string, after: string): Promise<void> {
    await this.database.write((transaction) => transaction.run(RENAME, { database, before, after }));
  }

  async #read(where: string, params: Readonly<Record<string, SqlValue>>): Promise<readonly SavedView[]> {
    const sql = selectVisible(COLUMNS_OF_VIEWS, "saved_views", where);
    const { rows } = await this.database.read(sql, params);
    return rows.map(toView);
  }
}

/** The view in a row with {@link COLUMNS_OF_VIEWS}. */
export function toView(row: readonly SqlValue[]): SavedView {
  const [id, database, table, owner, name, query, fragment, isPrivate, saved] = row;
  return {
    id: String(id),
    database: String(database),
    table: String(table),
    owner: String(owner),
    name: String(name),
    query: String(query),
    fragment: String(fragment),
    isPrivate: Number(isPrivate) === 1,
    saved: String(saved),
  };
}
