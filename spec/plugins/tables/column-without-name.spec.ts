import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

describe("a column whose name is empty", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      sql: `
        create table notes (id integer primary key, note text, "" text);
        insert into notes values (1, 'x', 'x'), (2, '', 'y'), (3, null, 'z'), (4, 'w', '');
        create view listed as select note, "" from notes;`,
    });
  });

  const first = async (path: string): Promise<unknown> => (await rowhouse.get(path)).json;

  it("is streamed with all rows of a view", async () => {
    const lines = await rowhouse.get("/library/listed.json?_shape=array&_nl=on&_stream=on");
    const csv = await rowhouse.get("/library/listed.csv?_stream=on");

    expect(lines.status, lines.text).to.equal(200);
    expect(lines.text.trimEnd().split("\n")).to.have.length(4);
    expect(csv.text).to.equal("note,\r\nx,x\r\n,y\r\n,z\r\nw,\r\n");
  });

  it("is not what other columns are compared with to find blanks", async () => {
    const blanks = "/library/notes.json?_shape=arrayfirst&note__";

    expect(await first(`${blanks}isblank=1`)).to.deep.equal([2, 3]);
    expect(await first(`${blanks}notblank=1`)).to.deep.equal([1, 4]);
  });
});
