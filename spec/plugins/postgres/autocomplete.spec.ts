import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const SCRIPT = `
  create type mood as enum ('sad', 'happy');
  create table authors (id int primary key, name text);
  insert into authors values (1, 'Jane Austen'), (2, 'James Joyce'), (3, null);
  create table books (
    id int primary key, title text, author int references authors, price numeric(6, 2), added date, state mood,
    tags text[], data json, more jsonb, page xml, place point, code uuid, cover bytea
  );
  insert into books values
    (1, 'Emma', 1, 12.50, '2024-01-31', 'happy', '{classic}', '{"a": 1}', '{"b": 1}', '<p/>', '(1,2)',
      'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '\\xff'),
    (2, 'Ulysses', 2, 9, '2024-02-01', 'sad', '{modern}', '[1]', '[1]', '<q/>', '(3,4)', null, null),
    (3, 'Emma', 1, null, null, null, null, null, null, null, null, null, null);
  create table notes (id int primary key, name text, body text,
    words tsvector generated always as (to_tsvector('english', body)) stored);
  insert into notes values (1, 'zebra', 'fox'), (2, null, 'foxes'), (3, 'fox tale', 'a fox');`;

describePostgres("autocomplete on PostgreSQL", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const uri = await server().createDatabase(SCRIPT);
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  async function values(query: string): Promise<unknown> {
    const { status, text, json } = await rowhouse.get(`/shop/books/-/autocomplete.json?${query}`);
    expect(status, text).to.equal(200);
    return (json as { readonly rows: readonly { readonly value: unknown }[] }).rows.map(({ value }) => value);
  }

  it("answers the distinct values of columns of every type", async () => {
    expect(await values("column=title&q=em")).to.deep.equal(["Emma"]);
    expect(await values("column=price&q=")).to.deep.equal([9, 12.5]);
    expect(await values("column=added&q=2024-02")).to.deep.equal(["2024-02-01"]);
    expect(await values("column=state&q=")).to.deep.equal(["sad", "happy"]);
    expect(await values("column=tags&q=")).to.deep.equal(["{classic}", "{modern}"]);
    expect(await values("column=data&q=")).to.deep.equal(["[1]", '{"a": 1}']);
    expect(await values("column=more&q=")).to.deep.equal(["[1]", '{"b": 1}']);
    expect(await values("column=page&q=")).to.deep.equal(["<p/>", "<q/>"]);
    expect(await values("column=place&q=")).to.deep.equal(["(1,2)", "(3,4)"]);
    expect(await values("column=code&q=A0")).to.deep.equal(["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]);
    expect(await values("column=cover&q=")).to.deep.equal([]);
  });

  it("finds nothing for a text with the character U+0000, which no text has", async () => {
    expect(await values("column=title&q=%00")).to.deep.equal([]);
    expect(await values("q=Emma%00")).to.deep.equal([]);
  });

  it("labels the values of foreign keys", async () => {
    const { json } = await rowhouse.get("/shop/books/-/autocomplete.json?column=author&q=");

    expect(json).to.deep.include({
      rows: [
        { value: 1, label: "Jane Austen" },
        { value: 2, label: "James Joyce" },
      ],
    });
  });

  it("orders rows by the match of their label, NULL is no match", async () => {
    const { json, text } = await rowhouse.get("/shop/notes/-/autocomplete.json?q=fox");

    const { rows } = json as { readonly rows: readonly { readonly pks: object }[] };
    expect(
      rows?.map(({ pks }) => pks),
      text,
    ).to.deep.equal([{ id: 3 }, { id: 2 }, { id: 1 }]);
  });
});
