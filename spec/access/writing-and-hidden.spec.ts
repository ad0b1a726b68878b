import { expect } from "chai";
import { rowhouseFor } from "rowhouse/testing";
import type { TestRowhouse } from "rowhouse/testing";

const WRITES = "insert-row update-row delete-row create-table alter-table".split(" ");
const metadata = {
  databases: {
    library: {
      tables: {
        gone: { allow: { id: "root" } },
        towns: { permissions: Object.fromEntries(WRITES.map((action) => [action, { id: "editor" }])) },
      },
    },
  },
};

describe("writing beside a hidden table", () => {
  let rowhouse: TestRowhouse;
  beforeEach(async () => {
    rowhouse = await rowhouseFor({
      tables: {
        towns: "id integer primary key, name text",
        gone: "id integer primary key, word text not null unique",
      },
      sql: `insert into towns values (1, 'one'); insert into gone values (1, 'whisper');
        create trigger noted after insert on towns begin insert into gone (word) values (new.name); end;`,
      metadata,
      settings: { conceal_missing: true, confine_sql: true },
    });
  });

  const post = async (path: string, json: object) => {
    const { status, text } = await rowhouse.post(path, { as: "editor", json });
    return { status, text: text.replace(/\b(?:gone|none)\b/g, "NAME") };
  };
  const alter = (operation: object) => post("/library/towns/-/alter", { operations: [operation] });

  it("reveals nothing of it by a new foreign key to it", async () => {
    expect(await alter(keyTo("gone"))).to.deep.equal(await alter(keyTo("none")));
  });

  it("reveals nothing of it by the error of a trigger", async () => {
    const { status, text } = await rowhouse.post("/library/towns/-/insert", {
      as: "editor",
      json: { row: { name: "whisper" } },
    });

    expect(status).to.equal(400);
    expect(text).not.to.match(/gone|word/);
    expect(
      (await rowhouse.post("/library/towns/-/insert", { as: "editor", json: { row: { name: null } } })).text,
    ).not.to.match(/gone|word/);
  });

  it("shows the errors of the API itself completely", async () => {
    const { text } = await rowhouse.post("/library/towns/-/insert", {
      as: "editor",
      json: { row: { id: 1, name: "x" } },
    });

    expect(text).to.contain("UNIQUE constraint failed: towns.id");
  });
});

const keyTo = (table: string): object => ({
  op: "add_foreign_key",
  args: { column: "name", fk_table: table, fk_column: "word" },
});
