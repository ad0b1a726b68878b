import type { Random } from "./random.js";

/** What one client's share of the database holds: its own goods, and tables of its own. */
export interface Share {
  /** By id. */
  readonly goods: ReadonlyMap<number, Good>;
  /** By name, as `madeTable` tells them. */
  readonly tables: ReadonlyMap<string, string>;
}

/** A table in one word, to be compared: `word,amount: 3 rows`. */
export const madeTable = (columns: readonly string[], rowCount: number): string =>
  `${columns.join(",")}: ${rowCount} rows`;

export interface Good {
  readonly word: string;
  readonly amount: number;
}

/** A request, and what it makes of the share when it is done. */
export interface Operation {
  readonly kind: string;
  readonly path: string;
  /** JSON, or lines of JSON. */
  readonly body: object | string;
  /** The status of success; 400 for a request that must be refused. */
  readonly status: number;
  readonly after: Share;
}

type Maker = (client: Client) => Operation | null;

/** One writer. No other client changes its rows, so it knows their complete state. */
export class Client {
  share: Share = { goods: new Map(), tables: new Map() };
  /** Sent, and not answered when the server died. */
  unanswered: Operation | null = null;
  #made = 0;

  constructor(
    readonly index: number,
    readonly random: Random,
  ) {}

  /** The next thing to ask for. */
  next(): Operation {
    for (;;) {
      const operation = this.random.pick(MAKERS)(this);
      if (operation !== null) return operation;
    }
  }

  /** An id that this client has never used. */
  freshId(): number {
    this.#made += 1;
    return this.index * 1_000_000_000 + this.#made;
  }

  freshGoods(count: number): Map<number, Good> {
    return new Map(Array.from({ length: count }, () => [this.freshId(), this.good()]));
  }

  /** Now and then one that fills pages of its own. */
  good(): Good {
    const length = this.random.fraction() < 0.02 ? 20_000 : this.random.between(0, 80);
    return { word: "word ".repeat(length / 5 + 1).trim(), amount: this.random.between(0, 1_000) };
  }

  ids(): readonly number[] {
    return [...this.share.goods.keys()];
  }

  /** Few rows mostly, so that clients share commits. */
  batchSize(): number {
    return this.random.fraction() < 0.7 ? this.random.between(1, 5) : this.random.between(6, 200);
  }
}

const rowsOf = (client: Client, goods: ReadonlyMap<number, Good>): readonly object[] =>
  [...goods].map(([id, good]) => ({ id, owner: client.index, ...good }));

const withGoods = ({ share }: Client, goods: ReadonlyMap<number, Good>): Share => ({
  ...share,
  goods: new Map([...share.goods, ...goods]),
});

const insert: Maker = (client) => {
  const goods = client.freshGoods(client.batchSize());
  return {
    kind: "insert",
    path: "/library/goods/-/insert",
    body: { rows: rowsOf(client, goods) },
    status: 201,
    after: withGoods(client, goods),
  };
};

/** Some rows that are there, some that are not. */
const upsert: Maker = (client) => {
  const { random } = client;
  const known = client.ids().filter(() => random.fraction() < 0.2);
  const goods = client.freshGoods(random.between(1, 10));
  for (const id of known.slice(0, 100)) goods.set(id, client.good());
  return {
    kind: "upsert",
    path: "/library/goods/-/upsert",
    body: { rows: rowsOf(client, goods) },
    status: 200,
    after: withGoods(client, goods),
  };
};

const update: Maker = (client) => {
  if (client.share.goods.size === 0) return null;
  const id = client.random.pick(client.ids());
  const good = client.good();
  return {
    kind: "update",
    path: `/library/goods/${id}/-/update`,
    body: { update: good },
    status: 200,
    after: withGoods(client, new Map([[id, good]])),
  };
};

const remove: Maker = (client) => {
  if (client.share.goods.size === 0) return null;
  const id = client.random.pick(client.ids());
  const goods = new Map(client.share.goods);
  goods.delete(id);
  return {
    kind: "delete",
    path: `/library/goods/${id}/-/delete`,
    body: {},
    status: 200,
    after: { ...client.share, goods },
  };
};

/** The last row breaks a rule of the table; the ones before it must not stay. */
const refused: Maker = (client) => {
  const goods = client.freshGoods(client.batchSize());
  goods.set(client.freshId(), { word: "never", amount: -1 });
  return {
    kind: "refused",
    path: `/library/goods/-/${client.random.pick(["insert", "upsert"])}`,
    body: { rows: rowsOf(client, goods) },
    status: 400,
    after: client.share,
  };
};

const create: Maker = (client) => {
  const table = `made_${client.freshId()}`;
  const rows = Array.from({ length: client.random.between(1, 50) }, () => ({ ...client.good() }));
  return {
    kind: "create",
    path: "/library/-/create",
    body: { table, rows },
    status: 201,
    after: withTable(client, table, madeTable(["word", "amount"], rows.length)),
  };
};

const withTable = ({ share }: Client, name: string, made: string): Share => ({
  ...share,
  tables: new Map([...share.tables, [name, made]]),
});

/** Two changes, of which the second rebuilds the table. */
const alter: Maker = (client) => {
  const [table, made] = [...client.share.tables].find(([, known]) => known.startsWith("word,")) ?? [];
  if (table === undefined || made === undefined) return null;
  return {
    kind: "alter",
    path: `/library/${table}/-/alter`,
    body: {
      operations: [
        { op: "rename_column", args: { name: "word", to: "name" } },
        { op: "alter_column", args: { name: "amount", type: "text", not_null: true } },
      ],
    },
    status: 200,
    after: withTable(client, table, made.replace("word,", "name,")),
  };
};

/** An insert, an update and a delete that belong together. */
const batch: Maker = (client) => {
  const [updated, deleted] = client.ids().slice(0, 2);
  if (updated === undefined || deleted === undefined) return null;
  const fresh = client.freshGoods(client.random.between(1, 20));
  const good = client.good();
  const goods = new Map([...client.share.goods, ...fresh, [updated, good]]);
  goods.delete(deleted);
  return {
    kind: "batch",
    path: "/library/-/batch",
    body: {
      operations: [
        { op: "insert", table: "goods", rows: rowsOf(client, fresh) },
        { op: "update", table: "goods", key: updated, update: good },
        { op: "delete", table: "goods", key: deleted },
      ],
    },
    status: 200,
    after: { ...client.share, goods },
  };
};

/** Rows as they come, in one transaction all the same. */
const stream: Maker = (client) => {
  const goods = client.freshGoods(client.random.between(1, 300));
  return {
    kind: "stream",
    path: "/library/goods/-/insert",
    body: rowsOf(client, goods)
      .map((row) => `${JSON.stringify(row)}\n`)
      .join(""),
    status: 201,
    after: withGoods(client, goods),
  };
};

const drop: Maker = (client) => {
  const [table] = client.share.tables.keys();
  if (table === undefined) return null;
  const tables = new Map(client.share.tables);
  tables.delete(table);
  return {
    kind: "drop",
    path: `/library/${table}/-/drop`,
    body: { confirm: true },
    status: 200,
    after: { ...client.share, tables },
  };
};

const MAKERS: readonly Maker[] = [
  insert,
  insert,
  insert,
  upsert,
  upsert,
  update,
  remove,
  refused,
  create,
  drop,
  alter,
  batch,
  stream,
];
