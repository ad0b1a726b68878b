import { expect } from "chai";
import type { Actor } from "rowhouse/plugin-api";
import { rowhouseFor } from "rowhouse/testing";

const SELECTS = {
  fields: `select :_actor_age || typeof(:_actor_age), :_actor_member || typeof(:_actor_member),
    typeof(:_actor_nick), :_actor_teams`,
  inherited: "select :_actor___proto__",
  forwarded: "select :_header_X_Forwarded_For, :_header_absent",
  five: "select length(:_random_chars_5)",
  most: "select length(:_random_chars_10000)",
  more: "select length(:_random_chars_10001)",
};

const served = () => rowhouseFor({ metadata: { databases: { library: { queries: SELECTS } } } });

describe("Values of magic parameters", () => {
  const actor: Actor = { id: "ann", age: 5, member: true, nick: null, teams: ["north", 7] };

  it("are the fields of the actor by their type: booleans are numbers, lists are JSON", async () => {
    const { json } = await (await served()).get("/library/fields.json", { as: actor });

    expect(json.rows).to.deep.equal([["5integer", "1integer", "null", '["north",7]']]);
  });

  it("are no members that every object of the program has", async () => {
    const { status, json } = await (await served()).get("/library/inherited.json", { as: actor });

    expect([status, json.error]).to.deep.equal([
      400,
      "You did not supply a value for binding parameter :_actor___proto__.",
    ]);
  });

  it("are headers, in letters of any case and with each underscore as a hyphen", async () => {
    const headers = { "x-forwarded-for": "192.0.2.1" };

    const { json } = await (await served()).get("/library/forwarded.json", { headers });

    expect(json.rows).to.deep.equal([["192.0.2.1", ""]]);
  });

  it("are as many random characters as the name says, and not more than 10,000", async () => {
    const rowhouse = await served();

    expect((await rowhouse.get("/library/five.json")).json.rows).to.deep.equal([[5]]);
    expect((await rowhouse.get("/library/most.json")).json.rows).to.deep.equal([[10_000]]);
    expect((await rowhouse.get("/library/more.json")).status).to.equal(400);
  });
});
