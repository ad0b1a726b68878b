import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const linkOf = (text: string, rel: string): string | undefined =>
  new RegExp(`href="([^"]*)" rel="${rel}"`).exec(text)?.[1]?.replaceAll("&amp;", "&");

describe("The pages of groups", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      sql: `
        create table books (id integer primary key, genre text);
        insert into books (genre) values ('a'), ('b'), ('b'), ('c'), ('d'), ('e');`,
    });
  });

  it("lead to the next and to the previous page", async () => {
    const path = "/library/books?_size=2&_group=genre&genre__notnull=";
    const page = `${rowhouse.origin}${path}`;
    for (const [url, previous, next] of [
      [path, undefined, `${page}&_next=2`],
      [`${path}&_next=2`, page, `${page}&_next=4`],
      [`${path}&_next=4`, `${page}&_next=2`, undefined],
      [`${path}&_next=1`, page, `${page}&_next=3`],
    ] as const) {
      const { text } = await rowhouse.get(url);
      expect([linkOf(text, "prev"), linkOf(text, "next")], url).to.deep.equal([previous, next]);
    }
  });

  it("lead back from a page after the last group, without saying that no row matches", async () => {
    const { text } = await rowhouse.get("/library/books?_group=genre&_size=2&_next=6");

    expect(text).to.not.include("No row matches");
    expect(linkOf(text, "prev")).to.equal(`${rowhouse.origin}/library/books?_group=genre&_size=2&_next=4`);
  });

  it("have a menu for each group and aggregate, so that each can be removed", async () => {
    const { text } = await rowhouse.get(
      "/library/books?_group=genre&_agg=count,min(id),max(id)&_order=-count",
    );
    const form = /<form class="panel group-form"[^]*?<\/form>/.exec(text)?.[0] ?? "";
    const chosen = [...form.matchAll(/<select name="(\w+)">([^]*?)<\/select>/g)].map(
      ([, name, options = ""]) => [name, /<option value="([^"]*)" selected>/.exec(options)?.[1]],
    );

    expect(chosen).to.deep.equal([
      ["_group", "genre"],
      ["_group", undefined],
      ["_agg", "count"],
      ["_agg", "min(id)"],
      ["_agg", "max(id)"],
    ]);
    expect(form).to.not.include('type="hidden"');
    const json = await rowhouse.get(
      "/library/books.json?_group=genre&_group=&_agg=count&_agg=min(id)&_agg=&_shape=array",
    );
    expect(json.json[0]).to.deep.equal({ genre: "a", count: 1, "min(id)": 1 });
  });

  it("mark the column that sorts them, for eyes and for screen readers", async () => {
    for (const [order, heading] of [
      ["", 'data-column="genre" aria-sort="ascending"'],
      ["&_sort_desc=count", 'data-column="count" aria-sort="descending"'],
      ["&_order=-genre,count", 'data-column="genre" aria-sort="descending"'],
    ] as const) {
      const { text } = await rowhouse.get(`/library/books?_group=genre${order}`);
      const [sorted = "", ...others] =
        text.match(/<th[^]*?<\/th>/g)?.filter((one) => one.includes("aria-sort")) ?? [];

      expect(sorted.replace(/\s+/g, " "), order).to.include(heading);
      expect(sorted).to.include(order.includes("-") || order.includes("desc") ? "▼" : "▲");
      expect(others).to.deep.equal([]);
    }
  });
});
