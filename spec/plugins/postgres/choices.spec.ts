import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const SCRIPT = `
  create type mood as enum ('sad', 'it''s ok', 'happy');
  create table people (
    id int primary key, feels mood, state text check (state in ('new', 'so]ld, ''x''')), "Kind of" varchar(9) check ("Kind of" in ('a', 'b')),
    grade int check (grade in (1, 20)), other text check (other in ('a', 'b') or id > 5));`;

describePostgres("the form of a row on Postgres", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const uri = await server().createDatabase(SCRIPT);
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  it("has menus for enumerated types and for columns with allowed values", async () => {
    const { text } = await rowhouse.get("/shop/people/-/new-row", { as: "root" });
    const menus = [...text.matchAll(/<select[^>]* name="v(\d)"[^>]*>(.*?)<\/select>/gs)].map(
      ([, index, options = ""]) => [
        Number(index),
        [...options.matchAll(/<option value="([^"]+)"/g)].map(([, value]) => value),
      ],
    );

    expect(menus).to.deep.equal([
      [1, ["sad", "it&#39;s ok", "happy"]],
      [2, ["new", "so]ld, &#39;x&#39;"]],
      [3, ["a", "b"]],
      [4, ["1", "20"]],
    ]);
  });
});
