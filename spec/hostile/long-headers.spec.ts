import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../harness/index.js";

const LIST = Array.from({ length: 9_000 }, (_, index) => index).join(",");
const LONG = "k".repeat(20_000);
/** Node's HTTP client takes no more, and so does this one: longer headers would be an error here. */
const LIMIT = 16_384;

const lengthOf = ({ headers }: TestReply): number =>
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + String(value).length + 4, 0);

describe("The headers of a reply to a long address", () => {
  let rowhouse: TestRowhouse;

  before(async () => {
    rowhouse = await rowhouseFor({
      tables: { books: [1, 2, 3].map((id) => ({ id, title: "Emma" })) },
      sql: `create table keys (name text primary key, data blob); insert into keys values ('${LONG}', x'00')`,
    });
  });

  const cases: readonly (readonly [path: string, status: number])[] = [
    [`/library/books?_size=1&id__in=${LIST}`, 200],
    [`/library/books.json?_size=1&id__in=${LIST}`, 200],
    [`/library/books.csv?_size=1&_dl=on&id__in=${LIST}`, 200],
    [`/library?sql=select+1--${LIST}`, 200],
    [`/library.json?sql=select+1--${LIST}`, 200],
    [`/library/books.jsono?id__in=${LIST}`, 414],
    [`/library/books/?id__in=${LIST}`, 404],
    [`/library/books?_filter_column=id&_filter_op=in&_filter_value=${LIST}`, 414],
    [`/library/books?_sort=id&_sort_by_desc=on&id__in=${LIST}`, 414],
    [`/library/keys/${LONG}.blob?_blob_column=data`, 200],
    [`/library/${LONG}`, 404],
    [`/${LONG}/`, 404],
  ];
  for (const [path, status] of cases) {
    it(`are shorter than 16 kB: ${path.slice(0, 60)}`, async () => {
      const reply = await rowhouse.get(path);

      expect(reply.status, reply.text.slice(0, 300)).to.equal(status);
      expect(lengthOf(reply)).to.be.below(LIMIT);
    });
  }

  it("leave out a link that is too long; the document has it", async () => {
    const { headers, json } = await rowhouse.get(`/library/books.json?_size=1&id__in=${LIST}`);

    expect(headers.link).to.equal(undefined);
    expect(json.next_url).to.include("_next=1");
    expect((await rowhouse.get("/library/books.json?_size=1")).headers.link).to.match(/rel="next"$/);
  });
});
