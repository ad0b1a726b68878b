import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";

const tables = { books: [{ id: 1, title: "Emma" }] };

const list = (count: number, value: string): string => Array<string>(count).fill(value).join(",");

describe("Filters of a page", () => {
  it("are up to a thousand", async () => {
    const rowhouse = await rowhouseFor({ tables });

    const most = await rowhouse.get(`/library/books.json?${"id=1&".repeat(999)}`);
    const more = await rowhouse.get(`/library/books.json?${"id=1&".repeat(1_001)}`);

    expect([most.status, most.json.rows.length]).to.deep.equal([200, 1]);
    expect([more.status, more.json.error]).to.deep.equal([400, "At most 1000 filters are allowed, not 1001"]);
  });

  it("are up to a thousand on every page, with facets and in groups", async () => {
    const books = [1, 2, 3].map((id) => ({ id, title: `Emma ${id}` }));
    const rowhouse = await rowhouseFor({ tables: { books } });
    const pages = [
      `${"id__gt=0&".repeat(1_000)}_size=1&_next=1`,
      `${"id__gt=0&".repeat(1_000)}_size=1&_sort=title&_next=Emma+1,1`,
      `${"title__contains=mm&".repeat(1_000)}_facet=title`,
      `${"title__notin=a,b&".repeat(1_000)}_size=1&_next=1`,
      `${"id__gt=0&".repeat(999)}_where=length(title)>1&_group=id`,
    ];

    for (const page of pages) {
      const { status, json } = await rowhouse.get(`/library/books.json?${page}`);
      expect([status, json.error]).to.deep.equal([200, undefined]);
    }
    const { status, text } = await rowhouse.get(`/library/books.csv?_stream=on&${"id__gt=0&".repeat(1_000)}`);
    expect([status, text.trim().split(/\r?\n/).length]).to.deep.equal([200, 4]);
  });

  it("are up to a thousand together with conditions in SQL", async () => {
    const rowhouse = await rowhouseFor({ tables });

    const { status, json } = await rowhouse.get(
      `/library/books.json?${"id=1&".repeat(600)}${"_where=1&".repeat(401)}`,
    );

    expect([status, json.error]).to.deep.equal([400, "At most 1000 filters are allowed, not 1001"]);
  });

  it("have up to five thousand parameters, and a long list is one", async () => {
    const rowhouse = await rowhouseFor({ tables });
    const long = await rowhouse.get(`/library/books.json?id__in=${list(20_000, "1")}`);
    const reals = await rowhouse.get(`/library/books.json?id__in=[${list(5_000, "1.0")}]`);
    const more = await rowhouse.get(`/library/books.json?id__in=[${list(5_001, "1.0")}]`);
    const lists = await rowhouse.get(`/library/books.json?${`id__in=${list(1_000, "1")}&`.repeat(6)}`);

    expect([long.status, long.json.rows.length]).to.deep.equal([200, 1]);
    expect([reals.status, reals.json.rows.length]).to.deep.equal([200, 1]);
    for (const { status, json } of [more, lists]) {
      expect([status, json.error]).to.deep.equal([400, "Filters may have at most 5000 parameters"]);
    }
  });

  it("all have a value field, but only the first have menus of columns and operators", async () => {
    const rowhouse = await rowhouseFor({ tables });

    const { text } = await rowhouse.get(`/library/books?${"id__not=2&".repeat(600)}`);

    const count = (pattern: RegExp): number => [...text.matchAll(pattern)].length;
    expect(count(/name="_filter_value_\d+" value="2"/g)).to.equal(600);
    expect(count(/<option selected value="id">/g)).to.equal(600);
    expect(count(/<option value="not" selected>/g)).to.equal(600);
    expect(count(/<option value="contains"/g)).to.be.within(50, 500);
  });
});
