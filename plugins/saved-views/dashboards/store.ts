import { randomBytes } from "node:crypto";
import { BadRequest, type Database, type SqlValue, type Transaction } from "rowhouse/plugin-api";
import { selectVisible } from "../select-visible.js";
import { COLUMNS_OF_VIEWS, toView, type SavedView } from "../store.js";

/** The name of a page of saved charts, and whether it is listed only for its owner. */
export interface DashboardFacts {
  readonly name: string;
  readonly isPrivate: boolean;
}

/** A page of saved charts. */
export interface Dashboard extends DashboardFacts {
  readonly id: string;
  /** The id of the actor who made it. */
  readonly owner: string;
  /** As `2026-01-31T12:00:00.000Z`. */
  readonly saved: string;
}

const CREATE = [
  `create table if not exists dashboards (
    id text primary key, owner text not null, name text not null, is_private integer not null, saved text not null,
    unique (owner, name))`,
  `create table if not exists dashboard_views (
    dashboard text not null, view text not null, place integer not null, primary key (dashboard, view))`,
];
const MOST_OF_ONE_OWNER = 200;
const COLUMNS = ["id", "owner", "name", "is_private", "saved"];
const MOST_VIEWS = 60;

/** Dashboards in tables of the internal database. Every read names the actor, so that no private one is found. */
export class DashboardStore {
  private constructor(private readonly database: Database) {}

  static async open(database: Database): Promise<DashboardStore> {
    await database.write(async (transaction) => {
      for (const statement of CREATE) await transaction.run(statement);
    });
    return new DashboardStore(database);
  }

  /** The dashboards of the actor, then the shared ones of others, both by name. */
  list(actor: string | null): Promise<readonly Dashboard[]> {
    return this.#read("true", { actor });
  }

  /** The dashboard with this id if the actor may see it. */
  async find(id: string, actor: string | null): Promise<Dashboard | null> {
    return (await this.#read("id = :id", { id, actor }))[0] ?? null;
  }

  /** The views of a dashboard that the actor may see, in order. */
  async views(dashboard: string, actor: string | null): Promise<readonly SavedView[]> {
    const columns = COLUMNS_OF_VIEWS.map((name) => `saved_views.${name}`).join(", ");
    const { rows } = await this.database.read(selectViews(columns), { dashboard, actor });
    return rows.map(toView);
  }

  /** @throws BadRequest for a name that the owner has used, and for too many dashboards or views */
  async create(
    owner: string,
    { name, isPrivate }: DashboardFacts,
    views: readonly string[],
  ): Promise<Dashboard> {
    const made: Dashboard = {
      id: randomBytes(8).toString("hex"),
      owner,
      name,
      isPrivate,
      saved: new Date().toISOString(),
    };
    await this.database.write(async (transaction) => {
      const { rows } = await transaction.all("select name from dashboards where owner = ?", [owner]);
      if (rows.length >= MOST_OF_ONE_OWNER)
        throw new BadRequest(`An actor can have ${MOST_OF_ONE_OWNER} dashboards. Delete one first`);
      if (rows.some(([used]) => used === name)) throw new BadRequest(`You have a dashboard named ${name}`);
      await transaction.run(
        "insert into dashboards (id, owner, name, is_private, saved) values (?, ?, ?, ?, ?)",
        [made.id, owner, name, isPrivate ? 1 : 0, made.saved],
      );
      await arrange(transaction, made.id, views);
    });
    return made;
  }

  /**
   * Changes what is given, as one transaction, so that concurrent requests lose nothing of each other.
   *
   * @param arrangedOf returns the views in their new order, and the same list to keep them
   * @throws BadRequest for a name that another dashboard of the owner has, and for too many views
   */
  async change(
    { id, owner }: Dashboard,
    { name, isPrivate }: Partial<DashboardFacts>,
    arrangedOf: (before: readonly string[]) => readonly string[],
  ): Promise<void> {
    await this.database.write(async (transaction) => {
      const others = "select 1 from dashboards where owner = ? and name = ? and id <> ?";
      if (name !== undefined && (await transaction.all(others, [owner, name, id])).rows.length > 0)
        throw new BadRequest(`You have a dashboard named ${name}`);
      await transaction.run(
        "update dashboards set name = coalesce(?, name), is_private = coalesce(?, is_private) where id = ?",
        [name ?? null, isPrivate === undefined ? null : Number(isPrivate), id],
      );
      const { rows } = await transaction.all(selectViews("saved_views.id"), { dashboard: id, actor: owner });
      const before = rows.map(([view]) => String(view));
      const after = arrangedOf(before);
      if (after !== before) await arrange(transaction, id, after);
    });
  }

  async delete(id: string): Promise<void> {
    await this.database.write(async (transaction) => {
      await transaction.run("delete from dashboard_views where dashboard = ?", [id]);
      await transaction.run("delete from dashboards where id = ?", [id]);
    });
  }

  async #read(where: string, params: Readonly<Record<string, SqlValue>>): Promise<readonly Dashboard[]> {
    const { rows } = await this.database.read(selectVisible(COLUMNS, "dashboards", where), params);
    return rows.map(([id, owner, name, isPrivate, saved]) => ({
      id: String(id),
      owner: String(owner),
      name: String(name),
      isPrivate: Number(isPrivate) === 1,
      saved: String(saved),
    }));
  }
}

/** The views of a dashboard that an actor may see, in order. */
const selectViews = (columns: string): string =>
  `select ${columns} from dashboard_views join saved_views on saved_views.id = dashboard_views.view
   where dashboard = :dashboard and (is_private = 0 or owner = :actor) order by place limit ${MOST_VIEWS}`;

/** Replaces the views of a dashboard, in this order. @throws BadRequest for too many */
async function arrange(transaction: Transaction, dashboard: string, views: readonly string[]): Promise<void> {
  const unique = [...new Set(views)];
  if (unique.length > MOST_VIEWS) throw new BadRequest(`A dashboard has at most ${MOST_VIEWS} charts`);
  await transaction.run("delete from dashboard_views where dashboard = ?", [dashboard]);
  const insert = "insert into dashboard_views (dashboard, view, place) values (?, ?, ?)";
  for (const [place, view] of unique.entries()) await transaction.run(insert, [dashboard, view, place]);
}
