import { get } from "node:http";
import { fileURLToPath } from "node:url";
import { openRaw } from "../spec/harness/raw-sqlite.js";
import { startProgram, type Blocked } from "./program.js";

/** The cost of one request for the server. */
interface Cost extends Blocked {
  readonly status: number;
  readonly megabytes: number;
  readonly seconds: number;
  readonly peakMegabytes: number;
}

const LONG_QUERY = `${"_facet=c1&".repeat(100)}note__not=${"x".repeat(59_000)}`;
const DIFFERENT_FACETS = Array.from({ length: 100 }, (_, index) => `_facet=c${index}&`).join("");

const REQUESTS: Readonly<Record<string, string>> = {
  "one facet 100 times, HTML": `/wide/narrow?${LONG_QUERY}`,
  "one facet 100 times, JSON": `/wide/narrow.json?${LONG_QUERY}`,
  "100 facets, HTML": `/wide/t?_size=10&_nosuggest=1&_facet_size=max&${DIFFERENT_FACETS}c0__not=${"x".repeat(57_000)}`,
  "100 facets, JSON": `/wide/t.json?_size=10&_nosuggest=1&_facet_size=max&${DIFFERENT_FACETS}c0__not=${"x".repeat(57_000)}`,
  "1,900 columns, long query": `/wide/t?_size=1&_nosuggest=1&c0__not=${"x".repeat(59_000)}`,
  "1,900 columns, HTML": "/wide/t?_size=1000&_nosuggest=1",
  "1,900 columns, ?sql= HTML": "/wide?sql=select+*+from+t",
  "1,900 columns, JSON arrays": "/wide/t.json?_size=1000&_nosuggest=1",
  "1,900 columns, JSON objects": "/wide/t.json?_size=1000&_shape=objects&_nosuggest=1",
  "1,900 columns, JSON array": "/wide/t.json?_size=1000&_shape=array",
  "1,900 columns, JSON object": "/wide/t.json?_size=1000&_shape=object",
  "1,900 columns, CSV": "/wide/t.csv?_size=1000",
  "1,000 x 100 kB, HTML": "/wide/long?_size=1000",
  "1,000 x 100 kB, JSON arrays": "/wide/long.json?_size=1000",
  "1,000 x 100 kB, JSON array": "/wide/long.json?_size=1000&_shape=array",
  "1,000 x 100 kB, JSON object": "/wide/long.json?_size=1000&_shape=object",
  "1,000 x 100 kB, CSV": "/wide/long.csv?_size=1000",
};

/** Tables of 1,900 columns, of few columns with many values, and of values of 100 kB. */
export async function buildWide(file: string): Promise<void> {
  const database = await openRaw(file);
  const names = Array.from({ length: 1_900 }, (_, index) => `c${index}`);
  const values = names.map((_, index) => `'value ' || (n.value % ${index + 2})`);
  const numbers =
    "with recursive n(value) as (select 1 union all select value + 1 from n where value < 1000)";
  try {
    await database.run(`
      create table t (id integer primary key, ${names.map((name) => `${name} text`).join(", ")});
      ${numbers} insert into t select value, ${values.join(", ")} from n;
      create table narrow (id integer primary key, c1 text, note text);
      ${numbers} insert into narrow select value, 'value ' || (value % 40), 'x' from n;
      create table long (id integer primary key, body text);
      ${numbers} insert into long select value, replace(hex(zeroblob(25000)), '00', 'abc ') || value from n;`);
  } finally {
    await database.close();
  }
}

/** Sends each request to a server of its own, without a time limit for statements. */
export async function measureOutput(file: string): Promise<void> {
  const head = ["status", "MB", "seconds", "blocked ms", "of CPU", "peak MB"];
  console.log(`\n${"large answers".padEnd(30)}${head.map((title) => title.padStart(11)).join("")}`);
  for (const [name, path] of Object.entries(REQUESTS)) {
    const cost = await costOf(file, path);
    const { status, megabytes, seconds, longestMs, longestCpuMs, peakMegabytes } = cost;
    const figures = [status, megabytes, seconds, longestMs, longestCpuMs, peakMegabytes].map((value) =>
      value.toFixed(value < 100 && value !== Math.round(value) ? 1 : 0).padStart(11),
    );
    console.log(`${name.padEnd(30)}${figures.join("")}`);
  }
}

const ROWHOUSE = fileURLToPath(new URL("../cli/rowhouse.cjs", import.meta.url));

async function costOf(file: string, path: string): Promise<Cost> {
  const words = [file, "-p", "0", "--no-config"];
  const settings = ["--setting", "sql_time_limit_ms", "60000", "--setting", "facet_time_limit_ms", "60000"];
  const program = await startProgram(ROWHOUSE, [...words, ...settings], { environment: { PROBE_CPU: "1" } });
  const { origin } = program;
  try {
    // The cost of code that is compiled and cached once does not belong to the request.
    await bytesOf(`${origin}/wide/narrow?_facet=c1`);
    await bytesOf(`${origin}/wide/narrow.json`);
    await program.blocked();
    const began = performance.now();
    const { status, bytes } = await bytesOf(origin + path);
    const seconds = (performance.now() - began) / 1000;
    return {
      status,
      megabytes: bytes / 1e6,
      seconds,
      ...(await program.blocked()),
      peakMegabytes: await program.peakMegabytes(),
    };
  } catch (error) {
    console.log(`${path.slice(0, 60)}: ${String(error).slice(0, 200)}`);
    return { status: 0, megabytes: 0, seconds: 0, longestMs: 0, longestCpuMs: 0, peakMegabytes: 0 };
  } finally {
    program.stop();
  }
}

const bytesOf = (url: string): Promise<{ readonly status: number; readonly bytes: number }> =>
  new Promise((resolve, reject) => {
    get(url, { maxHeaderSize: 1_000_000 }, (response) => {
      let bytes = 0;
      response.on("data", (piece: Buffer) => (bytes += piece.length));
      response.once("end", () => resolve({ status: response.statusCode ?? 0, bytes }));
      response.once("error", reject);
    }).once("error", reject);
  });
