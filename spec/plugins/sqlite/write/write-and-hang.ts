// A process of its own: changes so much that pages go to the file before the commit, then waits to be killed.
import { openRaw } from "../../../harness/raw-sqlite.js";

const raw = await openRaw(process.argv[2] ?? "");
await raw.run("pragma cache_size = 2; begin immediate; update t set a = 'half'");
await raw.run(
  "insert into t with recursive n(i) as (select 10 union all select i + 1 from n where i < 5000) select i, hex(randomblob(100)) from n",
);
process.send?.("hanging");
setInterval(() => undefined, 1_000);
