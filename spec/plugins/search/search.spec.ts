import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

describe("full-text search on a table page", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      tables: {
        notes: [
          { id: 1, title: "Fog", body: "heavy fog at dawn" },
          { id: 2, title: "Calm", body: "the fog lifted" },
          { id: 3, title: "Gale", body: "poet-in-residence OR not" },
        ],
        plain: [{ id: 1, body: "fog" }],
      },
      views: { titles: "select id as note_id, title from notes", indexed: "select id, title from notes" },
      sql: `
        create virtual table notes_fts using fts5(title, body, content='notes', content_rowid='id');
        insert into notes_fts(notes_fts) values ('rebuild');
        create virtual table indexed_fts using fts5(title, content='indexed', content_rowid='id');
        insert into indexed_fts(indexed_fts) values ('rebuild');`,
      metadata: {
        databases: { library: { tables: { titles: { fts_table: "notes_fts", fts_pk: "note_id" } } } },
      },
    });
  });

  const ids = async (path: string) => {
    const { json } = await rowhouse.get(`/library/${path}&_shape=arrays`);
    return json.rows?.map(([id]: number[]) => id) ?? json.error;
  };

  const cases: readonly (readonly [query: string, ids: unknown, title: string])[] = [
    ["notes.json?_search=fog", [1, 2], "finds a word"],
    ["notes.json?_search=heavy+fog", [1], "wants every word"],
    ["notes.json?_search=%22the+fog%22", [2], "takes a quoted phrase together"],
    ["notes.json?_search=%22heavy", [1], "closes an open quote"],
    ["notes.json?_search=poet-in-residence+OR", [3], "takes operators as words"],
    ["notes.json?_search=hea*&_searchmode=raw", [1], "takes an expression in raw mode"],
    ["notes.json?_search=", [1, 2, 3], "ignores a blank search"],
    ["notes.json?_search=&_search_title=fog", [1], "finds in one column beside a blank search"],
    ["notes.json?_search=+&_search_title=fog", [1], "finds in one column beside a search of spaces"],
    ["notes.json?_search=%22%22", [1, 2, 3], "ignores an empty phrase"],
    ["notes.json?_searchfoo=x", [1, 2, 3], "ignores arguments that only begin alike"],
    ["notes.json?_search_title=fog", [1], "finds in one column"],
    ["notes.json?_search_title=calm&_search_body=fog", [2], "finds in several columns at once"],
    ["plain.json?_search=nothing", [1], "is ignored where there is no index"],
    ["titles.json?_search=fog", [1, 2], "works on a view by the metadata"],
    ["titles.json?_search_title=calm", [2], "joins a view by the same key in one column"],
    ["indexed.json?_search=fog", [1, 2, 3], "is ignored on a view without metadata"],
    ["indexed.json?_search=fog&_fts_table=indexed_fts&_fts_pk=id", [1], "works on a view by arguments"],
    ["notes.json?_search_nope=x", "Cannot search by that column", "refuses a column without index"],
    ["notes.json?_search=x&_fts_table=nope", "no such table: nope", "refuses an index that is not there"],
  ];
  for (const [query, expected, title] of cases) {
    it(`${title}: ${query}`, async () => {
      expect(await ids(query)).to.deep.equal(expected);
    });
  }

  for (const text of ['"', "NEAR(", "*", "nope:x", "AND", "^"]) {
    it(`answers 400 to the raw expression ${text}`, async () => {
      const { status } = await rowhouse.get(
        `/library/notes.json?_searchmode=raw&_search=${encodeURIComponent(text)}`,
      );

      expect(status).to.equal(400);
    });
  }

  it("is part of the description, with the other filters", async () => {
    const { json } = await rowhouse.get("/library/notes.json?_search=fog&title=Calm");

    expect(json.human_description_en).to.equal('where search matches "fog" and title = "Calm"');
    expect(json.query.params).to.deep.equal({ p0: "Calm", search: "fog" });
  });
});
