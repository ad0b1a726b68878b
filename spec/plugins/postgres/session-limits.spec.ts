import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const REQUESTS = 6;

describePostgres("a Postgres role with few sessions", (server) => {
  it("serves requests that need more, one after the other", async () => {
    const uri = await server().createDatabase(
      `create table notes (id int primary key);
       create view slow as select id, pg_sleep(0.01) is null as nothing from (select generate_series(1, 2) as id) as n;
       create role few login connection limit 2;
       grant all on all tables in schema public to few;`,
    );
    const rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({
      uri: uri.replace("//rowhouse@", "//few@"),
      name: "shop",
      mutable: true,
    });

    // Sessions that have read are idle, and the first write needs one.
    await Promise.all([1, 2, 3].map((id) => rowhouse.get(`/shop/slow.json?id__gt=${id - 2}&_nosuggest=1`)));
    const replies = await Promise.all(
      Array.from({ length: REQUESTS }, (_, id) =>
        id % 3 === 0
          ? rowhouse.post("/shop/notes/-/insert", { as: "root", json: { row: { id } } })
          : rowhouse.get(`/shop/slow.json?id__lt=${id}&_nosuggest=1`),
      ),
    );

    for (const { status, text } of replies) expect(status, text).to.be.oneOf([200, 201]);
  });
});
