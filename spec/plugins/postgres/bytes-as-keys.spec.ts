import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

describePostgres("a key of bytes of a PostgreSQL database", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const uri = await server().createDatabase(
      `create table pieces (key bytea primary key, n int);
       insert into pieces values ('\\x', 1), ('\\x00', 2), ('\\x0001', null), ('\\x41', 2), ('\\xff', 1);`,
    );
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  for (const order of ["", "_sort=n", "_sort_desc=n", "_sort=key", "_order=-n,key"]) {
    it(`is paged through, also with bytes that no text contains: ${order}`, async () => {
      const found: unknown[] = [];
      let path: string | null = `/shop/pieces.json?_size=1&_nosuggest=1&${order}`;
      while (path !== null) {
        const { status, text, json } = await rowhouse.get(path);
        expect(status, text).to.equal(200);
        found.push(...json.rows.map(([key]: readonly unknown[]) => key));
        path = json.next_url?.replace(rowhouse.origin, "") ?? null;
      }

      expect(found).to.have.length(5);
      expect(found).to.deep.include.members(["", "\0", "\0\u0001", "A", { $base64: true, encoded: "/w==" }]);
    });
  }
});
