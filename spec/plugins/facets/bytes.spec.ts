import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "rowhouse/testing";

interface Value {
  readonly value: unknown;
  readonly count: number;
  readonly toggle_url: string;
  readonly selected: boolean;
}

const ids = (reply: TestReply): readonly unknown[] => reply.json.rows.map(([id]: readonly unknown[]) => id);

describe("Values that are not UTF-8", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      sql: `
        create table pieces (id integer primary key, piece blob, note text, tags text);
        insert into pieces values
          (1, x'cafe', 'a', '["x"]'), (2, x'cafe', 'b', '["x"]'), (3, x'cafe', 'a', null),
          (4, cast(x'41ff' as text), 'b', null), (5, cast(x'41ff' as text), 'a', null),
          (6, cast(x'41fe' as text), 'a', null), (7, x'41', 'a', null), (8, 'A', 'a', null), (9, null, 'a', null),
          (10, x'efbfbd', 'a', null), (11, char(65533), 'a', cast(x'5b22c3225d' as text));`,
    });
  });

  /** Follows a link as a client does. */
  const follow = (url: string): Promise<TestReply> => rowhouse.get(url.replace(rowhouse.origin, ""));
  const facet = async (path: string, column = "piece"): Promise<readonly Value[]> =>
    (await rowhouse.get(path)).json.facet_results[column].results;
  const selecting = async (path: string): Promise<readonly unknown[]> => ids(await rowhouse.get(path));

  it("have facet links that carry their bytes", async () => {
    const values = await facet("/library/pieces.json?_facet=piece&_nosuggest=1");

    expect(values.map(({ count, toggle_url }) => [count, toggle_url.split("&").at(-1)])).to.deep.equal([
      [3, "piece=%CA%FE"],
      [2, "piece=A%FF"],
      [1, "piece=A"],
      [1, "piece=A%FE"],
      [1, "piece=%EF%BF%BD"],
      [1, "piece__in=%5B%7B%22%24base64%22%3Atrue%2C%22encoded%22%3A%22QQ%3D%3D%22%7D%5D"],
      [1, "piece__in=%5B%7B%22%24base64%22%3Atrue%2C%22encoded%22%3A%2277%2B9%22%7D%5D"],
    ]);
  });

  it("are selected by those links: the rows that the facet counts, and no others", async () => {
    for (const { count, toggle_url: url } of await facet("/library/pieces.json?_facet=piece&_nosuggest=1")) {
      const reply = await follow(url);

      expect(reply.json.filtered_table_rows_count, url).to.equal(count);
      expect(reply.json.rows, url).to.have.length(count);
      const [own, ...others] = reply.json.facet_results.piece.results as readonly Value[];
      expect([others.length, own?.selected], url).to.deep.equal([0, true]);
      expect(own?.toggle_url).to.equal(`${rowhouse.origin}/library/pieces.json?_facet=piece&_nosuggest=1`);
    }
  });

  it("are compared as bytes by exact, not, in and notin", async () => {
    expect(await selecting("/library/pieces.json?piece=%CA%FE")).to.deep.equal([1, 2, 3]);
    expect(await selecting("/library/pieces.json?piece__exact=%ca%fe")).to.deep.equal([1, 2, 3]);
    expect(await selecting("/library/pieces.json?piece=A%FF")).to.deep.equal([4, 5]);
    expect(await selecting("/library/pieces.json?piece__in=A%FF,A%FE,A")).to.deep.equal([4, 5, 6, 8]);
    expect(await selecting("/library/pieces.json?piece__not=%CA%FE")).to.deep.equal([4, 5, 6, 7, 8, 10, 11]);
    expect(await selecting("/library/pieces.json?piece__notin=%CA%FE,A%FF,A")).to.deep.equal([6, 7, 10, 11]);
    expect(await selecting("/library/pieces.json?piece=%CA%FF")).to.deep.equal([]);
    expect(await selecting("/library/pieces.json?piece=%EF%BF%BD")).to.deep.equal([11]);
    const base64 = encodeURIComponent('[{"$base64": true, "encoded": "yv4="}, "A"]');
    expect(await selecting(`/library/pieces.json?piece__in=${base64}`)).to.deep.equal([1, 2, 3, 8]);
    const { status } = await rowhouse.get('/library/pieces.json?piece__in=[{"$base64":true,"encoded":"?"}]');
    expect(status).to.equal(400);
  });

  it("are compared as bytes among the elements of arrays", async () => {
    const values = await facet("/library/pieces.json?_facet_array=tags&_nosuggest=1", "tags");

    const links = values.map(({ toggle_url }) => toggle_url);
    expect(links.map((url) => url.split("&").at(-1))).to.deep.equal([
      "tags__arraycontains=x",
      "tags__arraycontains=%C3",
    ]);
    expect(ids(await follow(links[1] ?? ""))).to.deep.equal([11]);
  });

  it("stay in the statement that a page shows, and in the link that runs it", async () => {
    const { query } = (await rowhouse.get("/library/pieces.json?piece=%CA%FE")).json;
    expect(query.sql).to.include('where "piece" in (:p0, cast(:p0 as text))');
    expect(query.params).to.deep.equal({ p0: { $base64: true, encoded: "yv4=" } });

    const page = (await rowhouse.get("/library/pieces?piece=%CA%FE")).text;
    const link = /href="(\/library\?sql=[^"]*)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(link).to.match(/&p0=%CA%FE$/);
    expect(ids(await rowhouse.get(link.replace("/library?", "/library.json?")))).to.deep.equal([1, 2, 3]);
  });

  it("stay in the links of a page: the next page, headings, other formats, facets", async () => {
    const { next_url: next } = (await rowhouse.get("/library/pieces.json?piece=%CA%FE&_size=2")).json;
    expect(next).to.equal(`${rowhouse.origin}/library/pieces.json?piece=%CA%FE&_size=2&_next=2`);
    expect(ids(await follow(next))).to.deep.equal([3]);

    const { text, status } = await rowhouse.get(
      "/library/pieces?piece=%CA%FE&_facet=note&_facet=piece&_size=1",
    );
    expect(status).to.equal(200);
    const links = [
      ...text.matchAll(/href="(?:http:\/\/[^/"]*)?(\/library\/pieces(?!\/)[^"]*[?&][^"]*)"/g),
    ].map(([, href = ""]) => href.replaceAll("&amp;", "&"));
    const carrying = links.filter((href) => /[?&]piece=%CA%FE(?:&|$)/.test(href));
    const removing = links.filter((href) => !/[?&]piece=/.test(href));
    expect(carrying.length).to.be.above(10);
    // The link and the ✖ of the selected value.
    expect(new Set(removing)).to.deep.equal(new Set(["/library/pieces?_facet=note&_facet=piece&_size=1"]));
    expect(text).to.not.include("%EF%BF%BD");
    for (const kind of ["_sort=note", "_next=", "/library/pieces.csv", "/library/pieces.json", "note=a"]) {
      expect(
        carrying.some((href) => href.includes(kind)),
        kind,
      ).to.equal(true);
    }
    expect(text).to.include("x&#39;cafe&#39;");
  });

  it("stay in forms, as base64: forms send text only", async () => {
    const { text } = await rowhouse.get("/library/pieces?piece=%CA%FE&_size=1");
    const inForms = "[{&quot;$base64&quot;:true,&quot;encoded&quot;:&quot;yv4=&quot;}]";
    expect(text).to.include(`<input type="hidden" name="piece__in" value="${inForms}">`);
    expect(text).to.include(`name="_filter_value_1" value="${inForms}"`);

    const value = encodeURIComponent('[{"$base64":true,"encoded":"yv4="}]');
    const form = `_filter_column_1=piece&_filter_op_1=in&_filter_value_1=${value}&note__not=%FF`;
    const { headers } = await rowhouse.get(`/library/pieces?${form}`);
    expect(headers["location"]).to.match(/^\/library\/pieces\?note__not=%FF&piece__in=/);
    expect(await selecting((headers["location"] ?? "").replace("pieces?", "pieces.json?"))).to.deep.equal([
      1, 2, 3,
    ]);
  });

  it("select rows for CSV, and for changes to many rows", async () => {
    const csv = await rowhouse.get("/library/pieces.csv?piece=A%FF&_col=note");
    expect(csv.text).to.equal("id,note\r\n4,b\r\n5,a\r\n");

    const { json } = await rowhouse.post("/library/pieces/-/update?piece=A%FF", {
      as: "root",
      json: { update: { note: "c" }, dry_run: true },
    });
    expect(json).to.include({ ok: true });
    expect(JSON.stringify(json)).to.include("2");
  });

  it("are replaced in descriptions", async () => {
    const { json } = await rowhouse.get("/library/pieces.json?piece=A%FF");
    expect(json.human_description_en).to.equal('where piece = "A\ufffd"');
  });
});
