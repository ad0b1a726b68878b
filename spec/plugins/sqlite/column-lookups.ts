import { Connection } from "../../../plugins/sqlite/open/connection.js";

/** How many statements had their columns looked up while `work` ran. */
export async function columnLookups(work: () => Promise<unknown>): Promise<number> {
  const { once } = Connection.prototype;
  let lookups = 0;
  Connection.prototype.once = function (this: Connection, bound, limits) {
    if (bound.sql.startsWith("explain create temp table")) lookups += 1;
    return once.call(this, bound, limits) as never;
  };
  try {
    await work();
  } finally {
    Connection.prototype.once = once;
  }
  return lookups;
}
