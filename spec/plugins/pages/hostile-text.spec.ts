import { expect } from "chai";
import { type TestRowhouse, rowhouseFor } from "rowhouse/testing";

const ATTACK = `"'><img src=x onerror=alert(1)></title></textarea></script><script>alert(1)</script>`;
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const METADATA = {
  title: ATTACK,
  description: ATTACK,
  license: ATTACK,
  license_url: "javascript:alert(1)",
  databases: {
    library: {
      title: ATTACK,
      source: ATTACK,
      source_url: ATTACK,
      tables: {
        books: {
          title: ATTACK,
          about: ATTACK,
          columns: { title: ATTACK },
          facets: ["title"],
          units: { id: ATTACK },
        },
      },
      queries: { [ATTACK]: { sql: `select ${literal(ATTACK)} as ${quoted(ATTACK)}, :a`, title: ATTACK } },
    },
  },
};

const SQL = `
  create table authors (id integer primary key, name text);
  insert into authors values (1, ${literal(ATTACK)});
  create table books (id integer primary key, title text, author integer references authors(id), ${quoted(ATTACK)} text);
  insert into books values (1, ${literal(ATTACK)}, 1, ${literal(`https://x/${ATTACK.replaceAll(" ", "+")}`)});
  create table ${quoted(ATTACK)} (${quoted(ATTACK)} text);
  insert into ${quoted(ATTACK)} values (${literal(ATTACK)});
`;

const encoded = encodeURIComponent(ATTACK);
const tilde = [...Buffer.from(ATTACK)].map((byte) => `~${byte.toString(16).padStart(2, "0")}`).join("");
const PATHS = [
  "/",
  "/library",
  "/library/books",
  "/library/books/1",
  "/library/authors/1",
  `/library/books?_search=${encoded}&_where=1=1+or+'${encoded}'=''`,
  `/library/books?title=${encoded}`,
  `/library/books?${encoded}=1`,
  `/library/books?_facet=title&_size=1&x=${encoded}`,
  `/library/books?_sort=${encoded}`,
  `/library?sql=${encoded}`,
  `/library?sql=select+${encodeURIComponent(`${literal(ATTACK)} as ${quoted(ATTACK)}, :p`)}&p=${encoded}`,
  `/library/${tilde}`,
  `/library/${tilde}?_next=${encoded}`,
  `/${tilde}`,
  `/library/books/${tilde}`,
  `/-/metadata`,
  `/-/settings?${encoded}`,
];

describe("hostile text", () => {
  let rowhouse: TestRowhouse;

  before(async () => {
    rowhouse = await rowhouseFor({ sql: SQL, metadata: METADATA });
  });

  for (const path of PATHS) {
    it(`stays text on ${path.slice(0, 40)}`, async () => {
      const reply = await rowhouse.get(path, { as: { id: "root", name: ATTACK } });

      expect(reply.status).to.be.lessThan(500);
      expect(reply.headers["content-type"]).to.equal("text/html; charset=utf-8");
      expect(reply.text).to.not.match(/<img|<script>|onerror=alert\(1\)>|href="javascript:/i);
      expect(reply.headers["content-security-policy"]).to.include("frame-ancestors 'none'");
    });
  }

  it("is there to be read", async () => {
    const { text } = await rowhouse.get("/library/books");

    expect(text).to.include("&lt;script&gt;alert(1)&lt;/script&gt;");
  });
});
