import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const SCRIPT = `
  create table closed (id int primary key, day date);
  create table open (id int primary key, name text);
  create index closed_by_day on closed (day);`;

describePostgres("a write to PostgreSQL without view-table on another table", (server) => {
  it("says completely that the name of a new index is taken", async () => {
    const shop = {
      permissions: { "alter-table": { id: "writer" } },
      tables: { closed: { allow: false } },
    };
    const rowhouse = await rowhouseFor({ metadata: { databases: { shop } } });
    const uri = await server().createDatabase(SCRIPT);
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });

    const { json } = await rowhouse.post("/shop/open/-/create-index", {
      token: await rowhouse.rowhouse.service("tokens").createToken("writer"),
      json: { columns: ["name"], name: "closed_by_day" },
    });

    expect(json).to.deep.equal({ ok: false, errors: ['relation "closed_by_day" already exists'] });
  });
});
