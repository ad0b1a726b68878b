import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";
import { tracedPlan } from "./traced-plan.js";

const SCRIPT = `
  create table events (id int primary key, n int, day date, time timestamp, zoned timestamptz, tags text[]);
  insert into events select i, i, date '1900-01-01' + i, timestamp '1900-01-01' + i * interval '5 hours',
    timestamptz '1900-01-01 UTC' + i * interval '5 hours', array['t' || i, 'u' || i % 100]
  from generate_series(1, 30000) as i;
  create index on events (n); create index on events (day); create index on events (time);
  create index on events (zoned); create index on events using gin (tags); analyze events;`;

const CASES = [
  ["n__exact=500.0", "events_n_idx", 1],
  ["n__gt=29990.5", "events_n_idx", 10],
  ["day__date=1950-01-01", "events_day_idx", 1],
  ["time__date=1910-01-02", "events_time_idx", 5],
  ["zoned__date=1910-01-02", "events_zoned_idx", 5],
  ["tags__arraycontains=t500", "events_tags_idx", 1],
] as const;

describePostgres("a filter of a PostgreSQL table", (server) => {
  let rowhouse: TestRowhouse;
  let uri: string;
  before(async () => {
    uri = await server().createDatabase(SCRIPT);
    rowhouse = await rowhouseFor({ settings: { trace_debug: true } });
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  for (const [filter, index, count] of CASES) {
    it(`uses the index on its column: ?${filter}`, async () => {
      const reply = await rowhouse.get(`/shop/events.json?${filter}&_size=0&_trace=1&_nosuggest=1`);

      expect(reply.json["filtered_table_rows_count"], reply.text).to.equal(count);
      expect(await tracedPlan(server(), uri, reply, "count(*)")).to.contain(index);
    });
  }
});
