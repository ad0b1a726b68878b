import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../../harness/index.js";

const BOOKS = "id integer primary key, title text, price real, shelf text as ('A' || id)";

describe("options of a CSV body", () => {
  let rowhouse: TestRowhouse;

  beforeEach(async () => {
    rowhouse = await rowhouseFor({ tables: { books: BOOKS } });
  });

  const send = async (query: string, body: string | Uint8Array, type = "text/csv"): Promise<TestReply> => {
    const token = await rowhouse.rowhouse.service("tokens").createToken("root");
    return rowhouse.post(`/library/books/-/insert${query}`, {
      token,
      body,
      headers: { "content-type": type },
    });
  };
  const stored = (): Promise<unknown> => rowhouse.query("select id, title, price from books order by id");

  it("delimiter is one character, or tab", async () => {
    expect((await send("?delimiter=;", 'id;title;price\n1;"Emma; again";9,5\n')).status).to.equal(201);
    expect((await send("?delimiter=tab", "id\ttitle\n2\tPersuasion\n")).status).to.equal(201);

    expect(await stored()).to.deep.equal([
      { id: 1, title: "Emma; again", price: "9,5" },
      { id: 2, title: "Persuasion", price: null },
    ]);
  });

  for (const delimiter of ["", "ab", "%22", "%0A"]) {
    it(`delimiter=${delimiter} is rejected`, async () => {
      const reply = await send(`?delimiter=${delimiter}`, "id\n1\n");

      expect([reply.status, reply.json]).to.deep.equal([
        400,
        { ok: false, errors: ['"delimiter" must be one character, or tab'] },
      ]);
    });
  }

  it("header=off takes the columns of the table in their order, without generated ones", async () => {
    const reply = await send("?header=off", "1,Emma,9.5\n2,Persuasion,\n");

    expect([reply.status, reply.json]).to.deep.equal([201, { ok: true, row_count: 2 }]);
    expect(await stored()).to.deep.equal([
      { id: 1, title: "Emma", price: 9.5 },
      { id: 2, title: "Persuasion", price: null },
    ]);
  });

  it("header=off rejects lines with another number of fields than the table has columns", async () => {
    const reply = await send("?header=off", "1,Emma,9.5\n2,Persuasion\n");

    expect(reply.status).to.equal(400);
    expect(reply.json.errors).to.deep.equal(["Row 1 (line 2): has 2 fields, not 3"]);
    expect(await stored()).to.deep.equal([]);
  });

  it("header=off with an empty body inserts nothing", async () => {
    expect((await send("?header=off", "")).json).to.deep.equal({ ok: true, row_count: 0 });
  });

  it("charset of the content type is the encoding", async () => {
    const latin = Buffer.from("id,title\n1,Caf\u00e9\n", "latin1");
    const wide = Buffer.from("\ufeffid,title\n2,\u00c9mile\n", "utf16le");

    expect((await send("", latin, "text/csv; charset=windows-1252")).status).to.equal(201);
    expect((await send("", wide, 'text/csv; header=present; charset="UTF-16LE"')).status).to.equal(201);
    expect(await stored()).to.deep.equal([
      { id: 1, title: "Caf\u00e9", price: null },
      { id: 2, title: "\u00c9mile", price: null },
    ]);
  });

  it("charset rejects unknown encodings, and bytes that are not text in the encoding", async () => {
    const unknown = await send("", "id\n1\n", "text/csv; charset=klingon");
    const wrong = await send("", Buffer.from("id,title\n1,Caf\u00e9\n", "latin1"));

    expect([unknown.status, unknown.json]).to.deep.equal([
      400,
      { ok: false, errors: ["Unknown encoding: klingon"] },
    ]);
    expect([wrong.status, wrong.json]).to.deep.equal([
      400,
      { ok: false, errors: ["The body is not UTF-8 text"] },
    ]);
  });

  it("lines may end with a carriage return alone", async () => {
    expect((await send("", 'id,title\r1,"Emma\rWoodhouse"\r2,Persuasion\r')).status).to.equal(201);

    expect(await stored()).to.deep.equal([
      { id: 1, title: "Emma\rWoodhouse", price: null },
      { id: 2, title: "Persuasion", price: null },
    ]);
  });

  it("are unknown for lines of JSON", async () => {
    const reply = await send("?delimiter=;", '{"id": 1}', "application/x-ndjson");

    expect(reply.json).to.deep.equal({ ok: false, errors: ['Invalid parameter: "delimiter"'] });
  });
});
