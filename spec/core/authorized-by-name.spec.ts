import { expect } from "chai";
import { defineRoute, definePlugin, NotFound, reply, type Chain, type Reply } from "rowhouse/plugin-api";
import { rowhouseFor, type Contents, type TestReply, type TestRowhouse } from "rowhouse/testing";

const stamp = defineRoute<"table">({
  name: "stamp",
  method: "POST",
  path: "/:database/:resource/-/stamp",
  target: "table",
  requires: ({ database, resource }) => [
    ["insert-row", [database, resource]],
    ["update-row", [database, resource]],
  ],
  refusal: "You may not stamp this",
  verify: ({ target }) => {
    if (target.table.kind === "view") throw new NotFound("A view is never stamped");
  },
  mutates: true,
  view: ({ target }) => reply.json(JSON.stringify(target.table.columns.map(({ name }) => name))),
});

const open = defineRoute<"table">({
  ...stamp,
  name: "open-stamp",
  path: "/:database/:resource/-/open-stamp",
  visibleWith: () => [["view-instance", null]],
});

const hidden = { allow: { id: "root" } };
const contents: Contents = {
  tables: { books: [{ id: 1, secret: 2 }], closed: [{ id: 1 }] },
  views: { shelf: "select 1 as id" },
  databases: { vault: "create table t (id)", fixed: "create table t (id)" },
  immutable: ["fixed"],
  metadata: {
    databases: {
      library: {
        permissions: { "insert-row": { id: ["clerk", "half"] }, "update-row": { id: "clerk" } },
        tables: { closed: hidden, none: hidden },
      },
      vault: hidden,
      fault: hidden,
      fixed: { permissions: { "insert-row": { id: "clerk" }, "update-row": { id: "clerk" } } },
    },
  },
};

/** The parts of a reply that clients can compare, without the name in the path. */
const comparable = ({
  status,
  headers: { date: _date, "x-request-id": _id, ...headers },
  text,
}: TestReply): object => ({
  status,
  headers: Object.keys(headers),
  text: text.replaceAll(/closed|none|vault|fault/gi, "NAME"),
});

describe("a route with requires", () => {
  let rowhouse: TestRowhouse;
  let located: string[];
  before(async () => {
    located = [];
    const plugin = definePlugin({
      name: "stamping",
      register_routes: () => [stamp, open],
      locate_resource: (_rowhouse, { name }) => void located.push(name),
      read_scope: (_rowhouse, { tables }) =>
        tables.map(({ name }) => ({ table: name, hiddenColumns: ["secret"] })),
    });
    rowhouse = await rowhouseFor({ ...contents, plugins: [plugin] });
  });
  beforeEach(() => located.splice(0));

  const post = (path: string, as: string) => rowhouse.post(`/${path}/-/stamp`, { as, json: {} });

  it("runs for an actor with all of its permissions, on the target as the actor may read it", async () => {
    const { status, json } = await post("library/books", "clerk");

    expect([status, json]).to.deep.equal([200, ["id"]]);
    expect(located).to.deep.equal(["books"]);
  });

  for (const as of ["half", "ann"]) {
    it(`is 403 for ${as}, who may view the table but lacks a permission`, async () => {
      const { status, json } = await post("library/books", as);

      expect([status, json]).to.deep.equal([403, { ok: false, errors: ["You may not stamp this"] }]);
    });
  }

  it("looks nothing up for a client that may neither act nor view: hidden and missing names get one reply", async () => {
    const pairs = [
      ["library/closed", "library/none"],
      ["library/CLOSED", "library/NONE"],
      ["vault/t", "fault/t"],
    ] as const;
    for (const [hiddenName, missing] of pairs) {
      const one = await post(hiddenName, "ann");

      expect(one.status).to.equal(403);
      expect(comparable(one)).to.deep.equal(comparable(await post(missing, "ann")));
    }
    expect(located).to.deep.equal([]);
  });

  it("is 404 for names that do not exist, if the client may view or act", async () => {
    expect((await post("library/nothing", "ann")).status).to.equal(404);
    expect((await post("library/none", "clerk")).status).to.equal(404);
    expect((await rowhouse.post("/library/none/-/open-stamp", { as: "ann", json: {} })).status).to.equal(404);
  });

  it("verifies the target before it refuses", async () => {
    for (const as of ["ann", "clerk"]) {
      const { status, text } = await post("library/shelf", as);
      expect([status, text]).to.deep.equal([404, '{"ok": false, "errors": ["A view is never stamped"]}']);
    }
  });

  it("is 403 on an immutable database if it mutates", async () => {
    const { status, json } = await post("fixed/t", "clerk");

    expect([status, json.errors]).to.deep.equal([403, ["Database is immutable"]]);
  });

  it("names its method to every client, for every name", async () => {
    for (const path of ["library/books", "library/closed", "library/none", "vault/t"]) {
      const { status, headers } = await rowhouse.get(`/${path}/-/stamp`);
      expect([status, headers["allow"]], path).to.deep.equal([405, "POST, OPTIONS"]);
    }
    expect(located).to.deep.equal([]);
  });

  it("gives other views its target through authorizedTarget, by the same checks", async () => {
    const { rowhouse: service } = rowhouse;
    const names = { database: "library", resource: "books" };

    const { source } = await service.authorizedTarget(stamp, names, { id: "clerk" });

    expect(source.restricted).to.equal(true);
    expect(source.table.columns.map(({ name }) => name)).to.deep.equal(["id"]);
    const refused = await service
      .authorizedTarget(stamp, names, { id: "ann" })
      .catch((error: Error) => error);
    expect(refused).to.include({ message: "You may not stamp this", status: 403 });
  });
});

describe("a route with permissions, of an installed plugin", () => {
  it("is 403 without them, also if its members are inherited", async () => {
    class Reading {
      readonly name = "reading";
      readonly path = "/:database/-/reading";
      readonly target = "database";
      permissions(): Chain {
        return [["insert-row", "library"]];
      }
      view(): Reply {
        return reply.text("read");
      }
    }
    const plugin = definePlugin({ name: "reading", register_routes: () => new Reading() });
    const rowhouse = await rowhouseFor({ ...contents, plugins: [plugin] });

    expect((await rowhouse.get("/library/-/reading", { as: "ann" })).status).to.equal(403);
    expect((await rowhouse.get("/library/-/reading", { as: "clerk" })).text).to.equal("read");
  });
});
