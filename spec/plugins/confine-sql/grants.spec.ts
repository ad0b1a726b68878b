import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor } from "rowhouse/testing";

const SQL = `
  create table secret (word text);
  insert into secret values ('murmur');
  create view inner_view as select word from secret;
  create view outer_view as select word from inner_view;`;

const settings = { confine_sql: true };

/** Only root may view the table, and only those of `allow` the view that reads it. */
const metadataWith = (allow: unknown) => ({
  databases: { library: { tables: { secret: { allow: { id: "root" } }, inner_view: { allow } } } },
});

describe("A grant of a view over a hidden table", () => {
  it("opens views over it only to those who have the grant", async () => {
    const rowhouse = await rowhouseFor({ sql: SQL, metadata: metadataWith({ id: "editor" }), settings });

    for (const [as, status] of [
      ["ann", 403],
      ["editor", 200],
    ] as const) {
      for (const path of ["/library/outer_view.json", "/library.json?sql=select+word+from+outer_view"]) {
        expect([path, as, (await rowhouse.get(path, { as })).status]).to.deep.equal([path, as, status]);
      }
    }
  });

  it("is in its permissions block if that names view-table, and in no other permission", async () => {
    const editors = { id: "editor" };
    const permissions = { "view-table": editors };
    const rowhouse = await rowhouseFor({
      sql: SQL,
      metadata: {
        databases: {
          library: { tables: { secret: { allow: { id: "root" } }, inner_view: { permissions } } },
          other: {
            permissions,
            tables: {
              secret: { allow: { id: "root" } },
              inner_view: { permissions: { "drop-table": editors } },
            },
          },
        },
      },
      databases: { other: SQL },
      settings,
    });

    expect((await rowhouse.get("/library/inner_view.json", { as: "ann" })).status).to.equal(403);
    expect((await rowhouse.get("/library/inner_view.json", { as: "editor" })).status).to.equal(200);
    expect((await rowhouse.get("/other/inner_view.json", { as: "editor" })).status).to.equal(403);
  });

  it("can be the opinion of a plugin", async () => {
    const vouching = definePlugin({
      name: "vouching",
      permission_allowed: (_rowhouse, { actor, action, resource }) =>
        action === "view-table" && resource?.[1] === "inner_view" && actor?.["id"] === "editor" ? true : null,
    });
    const rowhouse = await rowhouseFor({
      sql: SQL,
      metadata: metadataWith(null),
      settings,
      plugins: [vouching],
    });

    expect((await rowhouse.get("/library/inner_view.json", { as: "ann" })).status).to.equal(403);
    expect((await rowhouse.get("/library/inner_view.json", { as: "editor" })).status).to.equal(200);
  });
});

describe("SQL over databases that --crossdb attaches, with confine_sql", () => {
  it("reads no hidden table of another database, also if all of its own may be viewed", async () => {
    const rowhouse = await rowhouseFor({
      sql: `${SQL} create table open (word text);`,
      metadata: metadataWith(null),
      settings,
      options: { crossdb: true },
    });
    await rowhouse.rowhouse.addDatabase({
      uri: "memory:",
      name: "_memory",
      mutable: true,
      attach: [{ name: "library", path: rowhouse.file() }],
    });
    const statusOf = async (table: string, as: string): Promise<number> =>
      (await rowhouse.get(`/_memory.json?sql=select+word+from+library.${table}`, { as })).status;

    expect(await statusOf("open", "ann")).to.equal(200);
    expect(await statusOf("secret", "ann")).to.equal(403);
    expect(await statusOf("inner_view", "ann")).to.equal(403);
    expect(await statusOf("secret", "root")).to.equal(200);
  });
});
