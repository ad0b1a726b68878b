import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const METADATA = {
  permissions: { "insert-row": { id: "writer" }, "update-row": { id: "writer" } },
  databases: { library: { tables: { letters: { allow: { id: "reader" } } } } },
};

describe("rows that come back, for those who may write but not view", () => {
  let rowhouse: TestRowhouse;
  beforeEach(async () => {
    rowhouse = await rowhouseFor({
      tables: { letters: [{ id: 1, sender: "Ada", body: "Burn this" }] },
      metadata: METADATA,
    });
  });

  const write = async (path: string, json: object) =>
    (await rowhouse.post(`/library/${path}`, { as: "writer", json })).json;

  it("have their key alone after upsert, update and an insertion that was ignored", async () => {
    const rows = [{ id: 1, sender: "Eve" }];

    const upserted = await write("letters/-/upsert", { rows, return: true });
    const updated = await write("letters/1/-/update", { update: { sender: "Eve" }, return: true });
    const ignored = await write("letters/-/insert", { rows, ignore: true, return: true });
    const batch = await write("-/batch", {
      operations: [{ op: "update", table: "letters", key: 1, update: { sender: "Eve" }, return: true }],
    });

    expect(upserted).to.deep.equal({ ok: true, rows: [{ id: 1 }] });
    expect(updated).to.deep.equal({ ok: true, row: { id: 1 } });
    expect(ignored).to.deep.equal({ ok: true, rows: [{ id: 1 }] });
    expect(batch.results[0].rows).to.deep.equal([{ id: 1 }]);
    expect(await rowhouse.rows("letters")).to.deep.equal([{ id: 1, sender: "Eve", body: "Burn this" }]);
  });

  it("are whole where they are new", async () => {
    const inserted = await write("letters/-/insert", { row: { sender: "Eve" } });

    expect(inserted).to.deep.equal({ ok: true, rows: [{ id: 2, sender: "Eve", body: null }] });
  });
});

describe("several rows that come back", () => {
  it("are in the order of their rowids, each stored row once", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: "id integer primary key, title text" } });
    const insert = async (ids: readonly number[], options: object) => {
      const rows = ids.map((id, index) => ({ id, title: `${index}` }));
      return (
        await rowhouse.post("/library/books/-/insert", {
          as: "root",
          json: { rows, return: true, ...options },
        })
      ).json.rows;
    };

    expect(await insert([5, 3], {})).to.deep.equal([
      { id: 3, title: "1" },
      { id: 5, title: "0" },
    ]);
    expect(await insert([9, 7, 9], { replace: true })).to.deep.equal([
      { id: 7, title: "1" },
      { id: 9, title: "2" },
    ]);
  });
});

describe("rows that come back from virtual tables", () => {
  it("are those that were stored, with the rowids that the module assigned", async () => {
    const rowhouse = await rowhouseFor({
      sql: "create virtual table notes using fts5(title, body); create virtual table boxes using rtree(id, low, high)",
    });
    const insert = async (table: string, json: object) =>
      (await rowhouse.post(`/library/${table}/-/insert`, { as: "root", json })).json.rows;

    expect(await insert("notes", { row: { title: "One" } })).to.deep.equal([{ title: "One", body: null }]);
    expect(
      await insert("notes", { rows: [{ title: "Two" }, { rowid: 9, body: "Nine" }, {}], return: true }),
    ).to.deep.equal([
      { title: "Two", body: null },
      { title: null, body: "Nine" },
      { title: null, body: null },
    ]);
    const rows = [
      { id: 5, low: 1, high: 2 },
      { low: 0.1, high: 3 },
    ];
    const boxes = [
      { id: 5, low: 1, high: 2 },
      { id: 6, low: 0.09999998658895493, high: 3 },
    ];
    expect(await insert("boxes", { rows, return: true })).to.deep.equal(boxes);
    expect(await insert("boxes", { rows: rows.slice(0, 1), ignore: true, return: true })).to.deep.equal([]);
    expect(await rowhouse.query("select * from boxes")).to.deep.equal(boxes);
  });
});
