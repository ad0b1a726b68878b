import { expect } from "chai";
import type { Actor, Resource } from "rowhouse/plugin-api";
import { rowhouseFor } from "rowhouse/testing";

interface Case {
  readonly given: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly asks: readonly (readonly [
    actor: Actor | null,
    action: string,
    resource: Resource,
    allowed: boolean,
  ])[];
}

const USER = { id: "user" };
const USER2 = { id: "user2" };
const X = { id: "x" };
const ROOT = { id: "root" };
const T1: Resource = ["library", "t1"];
const T2: Resource = ["library", "t2"];
const Q1: Resource = ["library", "q1"];

const inDatabase = (block: object): Readonly<Record<string, unknown>> => ({ databases: { library: block } });

const cases: readonly Case[] = [
  {
    given: "no metadata",
    metadata: {},
    asks: [
      [null, "view-instance", null, true],
      [null, "view-table", T1, true],
      [null, "execute-sql", "library", true],
      [null, "insert-row", T1, false],
      [USER, "permissions-debug", null, false],
      [ROOT, "permissions-debug", null, true],
      [ROOT, "debug-menu", null, true],
      [ROOT, "insert-row", T1, true],
      [ROOT, "create-table", "library", true],
      [ROOT, "drop-table", T1, true],
      [USER, "no-such-action", null, false],
      [ROOT, "no-such-action", null, false],
      [null, "view-query", ["library", "no-such-query"], true],
      [null, "view-query", ["no-such-database", "no-such-query"], true],
      [null, "view-query", "library", true],
      [null, "view-query", null, true],
    ],
  },
  {
    given: "debug-menu for user at the top",
    metadata: { permissions: { "debug-menu": USER } },
    asks: [
      [USER, "debug-menu", null, true],
      [USER2, "debug-menu", null, false],
    ],
  },
  {
    given: "create-table for user in the database",
    metadata: inDatabase({ permissions: { "create-table": USER } }),
    asks: [
      [USER, "create-table", null, false],
      [USER, "create-table", "library", true],
      [USER2, "create-table", "library", false],
    ],
  },
  {
    given: "insert-row for user on t1",
    metadata: inDatabase({ tables: { t1: { permissions: { "insert-row": USER } } } }),
    asks: [
      [USER, "insert-row", T1, true],
      [USER, "insert-row", T2, false],
      [USER, "insert-row", "library", false],
    ],
  },
  {
    given: "view-query for user on q1",
    metadata: inDatabase({ queries: { q1: { sql: "select 1", permissions: { "view-query": USER } } } }),
    asks: [
      [USER, "view-query", Q1, true],
      [USER2, "view-query", Q1, false],
    ],
  },
  {
    given: "insert-row at all three levels, for different people",
    metadata: {
      permissions: { "insert-row": { id: "a" } },
      databases: {
        library: {
          permissions: { "insert-row": USER },
          tables: { t1: { permissions: { "insert-row": X } } },
        },
      },
    },
    asks: [
      [{ id: "a" }, "insert-row", T1, true],
      [USER, "insert-row", T1, false],
      [X, "insert-row", T1, false],
    ],
  },
  {
    given: "insert-row in the database and on the table, for different people",
    metadata: inDatabase({
      permissions: { "insert-row": USER },
      tables: { t1: { permissions: { "insert-row": X } } },
    }),
    asks: [
      [USER, "insert-row", T1, true],
      [X, "insert-row", T1, false],
    ],
  },
  {
    given: "insert-row for the anonymous",
    metadata: { permissions: { "insert-row": { unauthenticated: true } } },
    asks: [[null, "insert-row", T1, true]],
  },
  {
    given: "a block of false and one of {}",
    metadata: { permissions: { "view-table": false, "insert-row": {} } },
    asks: [
      [USER, "view-table", T1, false],
      [USER, "insert-row", T1, false],
      [ROOT, "insert-row", T1, true],
    ],
  },
  {
    given: "execute-sql for user at the top",
    metadata: { permissions: { "execute-sql": USER } },
    asks: [
      [ROOT, "execute-sql", "library", false],
      [USER, "execute-sql", "library", true],
    ],
  },
  {
    given: "no SQL at the top, SQL for user in the database",
    metadata: { allow_sql: false, databases: { library: { allow_sql: USER } } },
    asks: [
      [USER, "execute-sql", "library", true],
      [USER2, "execute-sql", "library", false],
      [USER, "execute-sql", null, false],
    ],
  },
  {
    given: "no SQL and no view at the top, and another key in the database",
    metadata: { allow: false, allow_sql: false, databases: { library: { title: "Books" } } },
    asks: [
      [USER, "execute-sql", "library", false],
      [USER, "view-database", "library", false],
    ],
  },
  {
    given: "an allow block and a permissions block about the same action",
    metadata: { allow_sql: false, permissions: { "execute-sql": USER } },
    asks: [[USER, "execute-sql", "library", false]],
  },
  {
    given: "a null block in the database below a closed instance",
    metadata: { allow: false, databases: { library: { allow: null } } },
    asks: [
      [null, "view-instance", null, false],
      [null, "view-database", "library", true],
      [null, "view-database", "other", false],
    ],
  },
  {
    given: "a view closed to all but user",
    metadata: inDatabase({ tables: { v1: { allow: USER } } }),
    asks: [
      [USER, "view-table", ["library", "v1"], true],
      [USER2, "view-table", ["library", "v1"], false],
    ],
  },
  {
    given: "names that objects have by birth",
    metadata: JSON.parse('{"databases": {"library": {"tables": {"__proto__": {"allow": false}}}}}'),
    asks: [
      [null, "view-table", ["library", "__proto__"], false],
      [null, "view-table", ["library", "constructor"], true],
      [null, "constructor", null, false],
    ],
  },
  {
    given: "the internal database",
    metadata: {},
    asks: [
      [null, "view-database", "_internal", false],
      [USER, "view-database", "_internal", false],
      [ROOT, "view-database", "_internal", true],
      [ROOT, "view-table", ["_internal", "tables"], true],
      [ROOT, "view-query", ["_internal", "q1"], true],
      [ROOT, "execute-sql", "_internal", true],
      [ROOT, "insert-row", ["_internal", "tables"], false],
      [ROOT, "create-table", "_internal", false],
      [ROOT, "view-database-download", "_internal", false],
    ],
  },
];

describe("a permission", () => {
  for (const { given, metadata, asks } of cases) {
    it(`is decided by ${given}`, async () => {
      const rowhouse = await rowhouseFor({ metadata });

      for (const [actor, action, resource, allowed] of asks) {
        const question = `${JSON.stringify(actor)} ${action} ${JSON.stringify(resource)}`;
        expect(await rowhouse.rowhouse.permissions.allowed(actor, action, resource), question).to.equal(
          allowed,
        );
        expect(
          await rowhouse.rowhouse.permissions.visible(actor, [[[action, resource]]]),
          question,
        ).to.deep.equal([allowed]);
      }
    });
  }

  const places: readonly (readonly [place: string, action: string, resource: Resource])[] = [
    ["allow", "view-instance", null],
    ["permissions.debug-menu", "debug-menu", null],
    [String.raw`databases["side car.v2"].allow`, "view-database", "side car.v2"],
    [String.raw`databases["side car.v2"].allow_sql`, "execute-sql", "side car.v2"],
    [String.raw`databases["side car.v2"].permissions.create-table`, "create-table", "side car.v2"],
    [String.raw`databases["side car.v2"].tables.t1.allow`, "view-table", ["side car.v2", "t1"]],
    [
      String.raw`databases["side car.v2"].tables.t1.permissions.insert-row`,
      "insert-row",
      ["side car.v2", "t1"],
    ],
    [String.raw`databases["side car.v2"].queries.q1.allow`, "view-query", ["side car.v2", "q1"]],
  ];
  for (const [place, action, resource] of places) {
    it(`says that its answer comes from ${place}`, async () => {
      const allow = { id: "ann" };
      const rowhouse = await rowhouseFor({
        databases: { "side car.v2": "create table t1 (id integer primary key)" },
        metadata: {
          allow,
          permissions: { "debug-menu": allow },
          databases: {
            "side car.v2": {
              allow,
              allow_sql: allow,
              permissions: { "create-table": allow },
              tables: { t1: { allow, permissions: { "insert-row": allow } } },
              queries: { q1: { sql: "select 1", allow } },
            },
          },
        },
      });

      const { opinions } = await rowhouse.rowhouse.permissions.decide(USER, action, resource);

      expect(opinions.map(({ plugin, allowed }) => [plugin, allowed])).to.deep.equal([
        ["permissions", false],
      ]);
      expect(opinions[0]?.because).to.match(/ does not match$/);
      expect(opinions[0]?.because?.startsWith(`${place} in `)).to.equal(true);
    });
  }
});

describe("blocks that can never match", () => {
  const wrong: readonly (readonly [metadata: Readonly<Record<string, unknown>>, place: string])[] = [
    [{ allow: "root" }, "allow"],
    [{ allow_sql: 1 }, "allow_sql"],
    [{ permissions: { "insert-row": ["ann"] } }, "permissions.insert-row"],
    [{ permissions: ["insert-row"] }, "permissions"],
    [inDatabase({ allow: ["root"] }), "databases.library.allow"],
    [inDatabase({ tables: { t1: { allow: "x" } } }), "databases.library.tables.t1.allow"],
    [inDatabase({ queries: { q1: { sql: "select 1", allow: "x" } } }), "databases.library.queries.q1.allow"],
  ];
  for (const [metadata, place] of wrong) {
    it(`stop the start: ${JSON.stringify(metadata)}`, async () => {
      const error = await rowhouseFor({ metadata }).then(
        () => null,
        (reason: Error) => reason,
      );

      expect(error?.message).to.contain(`: ${place} must be`);
    });
  }
});

describe("denying by default", () => {
  it("leaves nothing to the anonymous, plugins' permissions included", async () => {
    const record = {
      name: "wave",
      abbr: null,
      description: null,
      takes_database: false,
      takes_resource: false,
      default: true,
    };
    const rowhouse = await rowhouseFor({
      options: { defaultDeny: true },
      plugins: [{ name: "waving", register_permissions: () => record }],
    });

    const reply = await rowhouse.get("/");

    expect(reply.status).to.equal(403);
    expect(await rowhouse.rowhouse.permissions.allowed(null, "wave")).to.equal(false);
  });

  it("lets those in whom the metadata names, and root where it was started for root", async () => {
    const metadata = { allow: { id: "ann" } };
    const rowhouse = await rowhouseFor({ options: { defaultDeny: true, root: true }, metadata });

    const statuses = await Promise.all(
      ["ann", "bob", "root"].map(async (as) => (await rowhouse.get("/", { as })).status),
    );

    expect(statuses).to.deep.equal([200, 403, 200]);
  });

  it("is what root passes, and not the rules of a server that allows by default", async () => {
    const rowhouse = await rowhouseFor({ options: { root: true }, metadata: { allow: { id: "ann" } } });

    const reply = await rowhouse.get("/", { as: "root" });

    expect(reply.status).to.equal(403);
  });

  it("can be had for SQL alone", async () => {
    const rowhouse = await rowhouseFor({ settings: { default_allow_sql: false } });

    expect(await rowhouse.rowhouse.permissions.allowed(null, "execute-sql", "library")).to.equal(false);
    expect(await rowhouse.rowhouse.permissions.allowed(null, "view-database", "library")).to.equal(true);
  });
});
