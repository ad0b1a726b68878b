import { permissionChain } from "rowhouse/plugin-api";
import { visibilityOf } from "rowhouse/plugin-api/access";
import { expect } from "chai";
import { rowhouseFor } from "rowhouse/testing";

const tables = { docs: [{ id: 1, title: "Emma" }] };
const queries = { q1: { sql: "select 1 as one" } };
const USER = { id: "user" };

/** Metadata that closes everything except what `open` names, which is open to signed-in actors. */
function closedBut(open: readonly string[]): Readonly<Record<string, unknown>> {
  const allow = (place: string): object => ({ allow: open.includes(place) ? { id: "*" } : {} });
  return {
    ...allow("instance"),
    databases: {
      library: {
        ...allow("database"),
        tables: { docs: allow("thing") },
        queries: { q1: { ...queries.q1, ...allow("thing") } },
      },
    },
  };
}

describe("pages behind several permissions", () => {
  const cases: readonly (readonly [path: string, open: readonly string[], status: number])[] = [
    ["/", [], 403],
    ["/", ["instance"], 200],
    ["/library", [], 403],
    ["/library", ["instance"], 403],
    ["/library", ["database"], 200],
    ...["/library/docs", "/library/docs/1", "/library/q1"].flatMap(
      (path): [string, readonly string[], number][] => [
        [path, [], 403],
        [path, ["instance"], 403],
        [path, ["database"], 403],
        [path, ["thing"], 200],
        [path, ["thing", "database"], 200],
        [path, ["thing", "database", "instance"], 200],
      ],
    ),
  ];
  for (const [path, open, status] of cases) {
    it(`${path} is ${status} when ${open.join(" and ") || "nothing"} is open`, async () => {
      const rowhouse = await rowhouseFor({ tables, metadata: closedBut(open) });

      const reply = await rowhouse.get(path, { as: "user" });

      expect(reply.status).to.equal(status);
    });
  }

  it("refuse with the published words", async () => {
    const rowhouse = await rowhouseFor({ tables, metadata: closedBut([]) });
    const messages: Record<string, string> = {
      "/.json": "view-instance",
      "/library.json": "You do not have permission to view this database",
      "/library/docs.json": "You do not have permission to view this table",
      "/library/docs/1.json": "You do not have permission to view this table",
      "/library/q1.json": "You do not have permission to view this query",
    };

    for (const [path, error] of Object.entries(messages)) {
      const reply = await rowhouse.get(path);

      expect(reply.json, path).to.deep.equal({ ok: false, error, status: 403, title: "Forbidden" });
    }
  });
});

const database = (block: object): object => ({ databases: { library: block } });

describe("the chain view-table, view-database, view-instance", () => {
  const cases: readonly (readonly [
    given: string,
    metadata: Readonly<Record<string, unknown>>,
    actor: typeof USER | null,
    visible: boolean,
    isPrivate: boolean,
  ])[] = [
    ["no metadata", {}, null, true, false],
    ["an instance for user, user", { allow: USER }, USER, true, true],
    ["an instance for user, the anonymous", { allow: USER }, null, false, false],
    [
      "an open table in an instance for user",
      { allow: USER, ...database({ tables: { docs: { allow: true } } }) },
      null,
      true,
      false,
    ],
    ["a database for user", { ...database({ allow: USER }) }, USER, true, true],
    ["a table for user", { ...database({ tables: { docs: { allow: USER } } }) }, USER, true, true],
    [
      "a table for user, the anonymous",
      { ...database({ tables: { docs: { allow: USER } } }) },
      null,
      false,
      false,
    ],
    [
      "view-table for user in a closed instance",
      { allow: false, ...database({ tables: { docs: { permissions: { "view-table": USER } } } }) },
      USER,
      true,
      true,
    ],
    [
      "view-table for another in the database",
      { ...database({ permissions: { "view-table": { id: "other" } } }) },
      USER,
      false,
      false,
    ],
  ];
  for (const [given, metadata, actor, visible, isPrivate] of cases) {
    it(`with ${given}: ${visible ? (isPrivate ? "private" : "public") : "refused"}`, async () => {
      const rowhouse = await rowhouseFor({ tables, metadata });

      const docs = permissionChain({ database: "library", table: "docs" });
      const [visibility] = await visibilityOf(rowhouse.rowhouse.permissions, actor, [docs]);

      expect(visibility?.visible).to.equal(visible);
      if (visible) expect(visibility?.private).to.equal(isPrivate);
    });
  }
});

describe("lists", () => {
  it("leave out what the visitor may not see, and mark what others may not", async () => {
    const metadata = { databases: { library: { tables: { docs: { allow: USER } } } } };
    const rowhouse = await rowhouseFor({ tables: { ...tables, open: [{ id: 1 }] }, metadata });
    const listed = async (as?: string): Promise<unknown> => {
      const { json } = await rowhouse.get("/library.json", as === undefined ? {} : { as });
      return json.tables.map((table: { name: string; private: boolean }) => [table.name, table.private]);
    };

    expect(await listed()).to.deep.equal([["open", false]]);
    expect(await listed("user")).to.have.deep.members([
      ["docs", true],
      ["open", false],
    ]);
  });
});

describe("names that do not exist", () => {
  const metadata = { databases: { library: { tables: { docs: { allow: USER } } } } };

  it("differ from hidden ones unless conceal_missing is on", async () => {
    const rowhouse = await rowhouseFor({ tables, metadata });

    expect((await rowhouse.get("/library/docs.json")).status).to.equal(403);
    expect((await rowhouse.get("/library/nothing.json")).status).to.equal(404);
  });

  it("can be refused in the words of hidden ones, for those from whom something is hidden", async () => {
    const rowhouse = await rowhouseFor({ tables, metadata, settings: { conceal_missing: true } });
    const [hidden, missing] = await Promise.all([
      rowhouse.get("/library/docs.json"),
      rowhouse.get("/library/nothing.json"),
    ]);

    expect(missing.status).to.equal(403);
    expect(missing.json).to.deep.equal(hidden.json);
    expect((await rowhouse.get("/library/nothing.json", { as: "user" })).status).to.equal(404);
  });

  it("are not found below /-/static-plugins/, where nothing is hidden", async () => {
    const rowhouse = await rowhouseFor({
      tables,
      metadata: { databases: { library: { allow: USER } } },
      settings: { conceal_missing: true },
    });

    const paths = ["/nothing", "/-/nothing", "/-/static-plugins/nothing/more"];
    const statuses = await Promise.all(paths.map(async (path) => (await rowhouse.get(path)).status));

    expect(statuses).to.deep.equal([403, 403, 404]);
  });
});
