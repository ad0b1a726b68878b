import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const SCRIPT = `
  create table notes (id int primary key, text text);
  create table log (text text);
  insert into notes values (1, 'one');
  create rule logged as on insert to notes do also insert into log values (new.text);`;

describePostgres("a PostgreSQL table with a rule", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const uri = await server().createDatabase(SCRIPT);
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  const rows = async (table: string): Promise<unknown> =>
    (await rowhouse.get(`/shop/${table}.json?_shape=array`)).json;

  it("takes upserts, whose inserts follow the rule", async () => {
    const reply: TestReply = await rowhouse.post("/shop/notes/-/upsert", {
      as: "root",
      json: {
        rows: [
          { id: 1, text: "ONE" },
          { id: 2, text: "two" },
        ],
      },
    });

    expect(reply.status, reply.text).to.equal(200);
    expect(await rows("notes")).to.deep.equal([
      { id: 1, text: "ONE" },
      { id: 2, text: "two" },
    ]);
    expect(await rows("log")).to.deep.equal([{ text: "two" }]);
  });

  it("shows the rule with its definition", async () => {
    expect((await rowhouse.get("/shop/notes")).text).to.contain("CREATE RULE logged AS");
  });
});
