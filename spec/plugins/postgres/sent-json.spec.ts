import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const HUGE = `1${"0".repeat(400)}.5`;
const SCRIPT = `
  create domain document as jsonb;
  create table cells (
    id int primary key, n numeric, scaled numeric(12, 2), doc json, sorted jsonb, domained document, yes boolean, text text, i int
  );
  insert into cells values
    (1, 0.00, 1, '{"a": 1.10}', 'true', 'false', true, '05', 5),
    (2, 123456789012345678901234567890, 1000000000, 'true', '1', null, false, null, null),
    (3, ${HUGE}, null, null, null, null, null, null, null);`;

const WORDS = `
  create table plain (id int primary key, words tsvector);
  create table generated (id int primary key, text text, words tsvector generated always as (to_tsvector('simple', text)) stored);
  create table triggered (id int primary key, text text, words tsvector);
  create trigger fill before insert or update on triggered for each row
    execute function tsvector_update_trigger(words, 'pg_catalog.simple', text);
  insert into plain values (1, to_tsvector('simple', 'one two'));
  insert into generated values (1, 'one two');
  insert into triggered values (1, 'one two');`;

const SENT =
  '"n": 12.300, "scaled": 1.5, "doc": true, "sorted": false, "domained": true, "yes": true, "text": 1.50, "i": true';
const STORED = {
  n: "12.300",
  scaled: "1.50",
  doc: "true",
  sorted: "false",
  domained: "true",
  yes: "true",
  text: "1.50",
  i: "1",
};
const COLUMNS = Object.keys(STORED);

describePostgres("JSON that is sent to PostgreSQL", (server) => {
  let rowhouse: TestRowhouse;
  let database = "";
  beforeEach(async () => {
    const uri = await server().createDatabase(SCRIPT + WORDS);
    database = uri.split("/").at(-1) ?? "";
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  const post = async (path: string, body: string, type = "application/json"): Promise<TestReply> => {
    const token = await rowhouse.rowhouse.service("tokens").createToken("root");
    return rowhouse.post(`/shop/${path}`, { token, headers: { "content-type": type }, body });
  };
  const row = async (id: number): Promise<unknown> => {
    const texts = COLUMNS.map((name) => `${name}::text as ${name}`).join(", ");
    return (await server().run(`select ${texts} from cells where id = ${id}`, database))[0];
  };

  it("keeps zeros at the end of decimals, and the words of documents", async () => {
    const long = `"text": "${" ".repeat(60_000)}"`;
    const lines = `{"id": 14, ${SENT}}\n{"id": 15, ${SENT.replace('"text": 1.50', long)}}\n`;
    const replies = [
      await post("cells/-/insert", `{"row": {"id": 10, ${SENT}}}`),
      await post("cells/-/insert", '{"rows": [{"id": 11}, {"id": 12}]}'),
      await post("cells/11/-/update", `{"update": {${SENT}}}`),
      await post("cells/-/upsert", `{"rows": [{"id": 13, ${SENT}}]}`),
      await post("cells/-/update", `{"update": {${SENT}}, "filters": {"id": 12}}`),
      await post("cells/-/insert", lines, "application/x-ndjson"),
    ];

    for (const { status, text } of replies) expect(status, text).to.be.oneOf([200, 201]);
    for (const id of [10, 11, 12, 13, 14]) expect(await row(id), `row ${id}`).to.deep.equal(STORED);
    expect(await row(15)).to.deep.equal({ ...STORED, text: " ".repeat(60_000) });
  });

  it("restores the words of a text search, or the deletion can't be undone", async () => {
    const undone: string[] = [];
    for (const table of ["plain", "generated", "triggered"]) {
      const operations = [{ op: "delete", table, key: [1] }];
      const { json } = await post("-/batch", JSON.stringify({ undo: true, operations }));
      const { undo } = json as { readonly undo: string | null };
      if (undo === null) continue;
      await post("-/batch", `{"operations": ${undo}}`);
      const [stored] = await server().run(`select words::text from ${table}`, database);
      expect(stored, table).to.deep.equal({ words: "'one':1 'two':2" });
      undone.push(table);
    }

    expect(undone).to.deep.equal(["generated", "triggered"]);
  });

  it("of an undone deletion has every digit", async () => {
    const before = [await row(1), await row(2), await row(3)];
    const operations = [1, 2, 3].map((key) => ({ op: "delete", table: "cells", key: [key] }));
    const deleted = await post("-/batch", JSON.stringify({ undo: true, operations }));
    const { undo } = deleted.json as { readonly undo: string };
    const undone = await post("-/batch", `{"operations": ${undo}}`);

    expect([deleted.status, undone.status], undone.text).to.deep.equal([200, 200]);
    expect([await row(1), await row(2), await row(3)]).to.deep.equal(before);
  });
});
