import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";

const NUMBERS = "with recursive n(value) as (select 1 union all select value + 1 from n where value < 900)";
const COLUMNS = Array.from({ length: 100 }, (_, index) => `c${index}`);
const sql = `create table t (id integer primary key, ${COLUMNS.join(", ")});
  ${NUMBERS} insert into t select value, ${COLUMNS.map(() => "value % 40").join(", ")} from n;`;
const LONG = `c0__not=${"x".repeat(50_000)}`;

interface Facet {
  readonly truncated: boolean;
  readonly results: readonly { readonly toggle_url: string | null }[];
}

describe("A hundred facets under a long query string", () => {
  it("are computed once and listed three times when they are the same", async () => {
    const rowhouse = await rowhouseFor({ sql });

    const { json, text } = await rowhouse.get(
      `/library/t.json?_size=0&_nosuggest=1&${"_facet=c1&".repeat(100)}${LONG}`,
    );

    expect(Object.keys(json.facet_results)).to.deep.equal(["c1", "c1_2", "c1_3"]);
    expect(text.length).to.be.below(5_250_000);
  });

  it("have so many links as fit into the limit; the others are null", async () => {
    const rowhouse = await rowhouseFor({ sql });
    const facets = COLUMNS.map((name) => `_facet=${name}&`).join("");

    const { json, text } = await rowhouse.get(`/library/t.json?_size=0&_nosuggest=1&${facets}${LONG}`);
    const page = await rowhouse.get(`/library/t?_size=1&_nosuggest=1&_facet=c1&_facet=c2`);

    const found: Facet[] = Object.values(json.facet_results);
    expect(found.length).to.equal(100);
    expect(found[0]?.results[0]?.toggle_url).to.be.a("string");
    expect(found[99]?.results[0]?.toggle_url).to.equal(null);
    expect(text.length).to.be.below(6_000_000);
    // Under a short query string nothing is left out.
    expect(page.text).to.not.include("some facets have no links");
  });

  it("have ten thousand values together, and say that there are more", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table t (id integer primary key, ${COLUMNS.join(", ")});
        ${NUMBERS} insert into t select value, ${COLUMNS.map(() => "value").join(", ")} from n;`,
    });
    const facets = COLUMNS.map((name) => `_facet=${name}`).join("&");

    const { json } = await rowhouse.get(`/library/t.json?_size=0&_nosuggest=1&_facet_size=max&${facets}`);

    const found: Facet[] = Object.values(json.facet_results);
    expect(found.map(({ results }) => results.length)).to.deep.equal(COLUMNS.map(() => 100));
    expect(found.every(({ truncated }) => truncated)).to.equal(true);
  });
});

describe("A facet of long values", () => {
  it("has no link that no server would take, and its page shows the beginning", async () => {
    const long =
      "create table t (id integer primary key, a); insert into t (a) values (printf('%.*c', 70000, 'x'))";
    const rowhouse = await rowhouseFor({ sql: long });

    const { json } = await rowhouse.get("/library/t.json?_facet=a");
    const { text } = await rowhouse.get("/library/t?_facet=a&_col=id");

    expect(json.facet_results.a.results[0].toggle_url).to.equal(null);
    expect(json.facet_results.a.results[0].value).to.have.length(70_000);
    expect(text).to.include(`<span dir="auto">${"x".repeat(1_000)}…</span>`);
    expect(text.length).to.be.below(100_000);
  });
});
