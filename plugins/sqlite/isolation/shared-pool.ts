import type { Rowhouse } from "rowhouse/plugin-api";
import { ProcessPool } from "./process-pool.js";

// A stream keeps its process for as long as its client reads: it gets one beside those that answer.
const STREAMS_AT_ONCE = 8;
const MEBIBYTE = 1_048_576;

/** By size: instances in one server process share their processes, which costs nothing and starts fewer. */
const pools = new Map<string, ProcessPool>();

/** The processes in which an instance runs untrusted SQL. None is started before it is needed. */
export function processPoolFor(rowhouse: Rowhouse): ProcessPool {
  const answers = rowhouse.setting("num_sql_processes");
  const memoryBytes = rowhouse.setting("sql_process_memory_mb") * MEBIBYTE;
  const size = `${answers} ${memoryBytes}`;
  const pool =
    pools.get(size) ?? new ProcessPool({ limits: { answer: answers, stream: STREAMS_AT_ONCE }, memoryBytes });
  pools.set(size, pool);
  return pool;
}
