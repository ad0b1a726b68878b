import { expect } from "chai";
import { failure } from "../../harness/failures.js";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";
import { until } from "../../harness/until.js";
import { needPooler, startPooler, type Pooler } from "./pooler.js";
import { SHOP } from "./shop.js";

const GUEST = `${SHOP} do $$ begin if not exists (select from pg_roles where rolname = 'guest') then create role guest login; end if; end $$;
  grant select on all tables in schema public to guest`;

describePostgres("PostgreSQL behind PgBouncer", (server) => {
  needPooler();

  for (const mode of ["session", "transaction"] as const) {
    describe(`in ${mode} mode`, () => {
      let pooler: Pooler;
      let rowhouse: TestRowhouse;
      let database = "";
      before(async () => {
        const uri = await server().createDatabase(GUEST);
        database = uri.split("/").at(-1) ?? "";
        pooler = await startPooler(server(), mode);
        rowhouse = await rowhouseFor();
        const address = `postgres://rowhouse@127.0.0.1:${pooler.port}/${database}?pooler=${mode}&read_role=guest`;
        await until(async () => {
          const opened = rowhouse.rowhouse.addDatabase({ uri: address, name: "shop", mutable: true });
          return opened.then(
            () => true,
            () => false,
          );
        });
      });
      after(() => pooler.stop());

      const insert = (name: string) =>
        rowhouse.post("/shop/authors/-/insert", { as: "root", json: { row: { name }, return: true } });

      it("reads and writes concurrently, with exact values", async () => {
        const writes = await Promise.all(Array.from({ length: 20 }, (_, index) => insert(`Author ${index}`)));
        const replies = await Promise.all(
          Array.from({ length: 40 }, (_, index) =>
            rowhouse.get(
              index % 2 === 0
                ? "/shop/books.json?id=9007199254740993&_col=added&_col=price&_shape=arrays&_nosuggest=1"
                : "/shop.json?sql=select+current_user,+current_setting('timezone')&_shape=arrays",
            ),
          ),
        );

        expect(new Set(writes.map(({ status }) => status))).to.deep.equal(new Set([201]));
        for (const [index, { status, text }] of replies.entries()) {
          expect(status, text).to.equal(200);
          expect(text).to.contain(index % 2 === 0 ? "123456789012345678.01" : '["guest", "UTC"]');
        }
        const [{ n } = {}] = await server().run("select count(*)::int as n from authors", database);
        expect(n).to.equal(22);
      });

      it("streams from one snapshot, and updates, deletes and alters", async () => {
        const csv = await rowhouse.get("/shop/keyless.csv?_stream=1");
        const post = (path: string, json: object) => rowhouse.post(`/shop/${path}`, { as: "root", json });
        const replies = [
          await post("books/1/-/update", { update: { title: "Changed" } }),
          await post("books/3/-/delete", {}),
          await post("keyless/-/alter", {
            operations: [{ op: "add_column", args: { name: "c", type: "text" } }],
          }),
          await post("keyless/-/insert", { rows: [{ a: 1, c: "new" }] }),
        ];

        expect(csv.text.trim().split("\r\n")).to.have.length(26);
        expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 200, 201]);
        expect(
          (await rowhouse.get("/shop/keyless.json?c=new&_nosuggest=1&_shape=array")).json,
        ).to.have.length(1);
      });

      it("passes cancellations on, and lets callers change nothing", async () => {
        const shop = rowhouse.rowhouse.database("shop");
        const error = await failure(shop.read("select pg_sleep(60)", [], { timeLimitMs: 100 }));
        const sql = encodeURIComponent("with x as (delete from pairs returning *) select * from x");

        expect(error.name).to.equal("QueryInterrupted");
        expect((await rowhouse.get(`/shop.json?sql=${sql}`)).status).to.be.oneOf([400, 403]);
        expect((await rowhouse.get("/shop.json?sql=select+1&_shape=arrays")).status).to.equal(200);
      });
    });
  }
});
