import type { Program } from "./program.js";

/** The cost of a complete export. */
interface Export {
  readonly rows: number;
  readonly megabytes: number;
  readonly seconds: number;
  readonly firstByteMs: number;
}

const exports = (rows: number): Readonly<Record<string, string>> => ({
  [`JSON lines, table`]: "/bench/readings.json?_shape=array&_nl=on&_stream=on",
  [`JSON lines, filter`]: "/bench/readings.json?_shape=array&_nl=on&_stream=on&place__gte=0",
  [`JSON lines, canned`]: "/bench/everything.json?_shape=array&_nl=on&_stream=on",
  [`JSON lines, ?sql=`]: `/bench.json?_shape=array&_nl=on&_stream=on&sql=${encodeURIComponent(`select * from readings limit ${rows}`)}`,
  [`CSV, table`]: "/bench/readings.csv?_stream=on",
  [`CSV, ?sql=`]: `/bench.csv?_stream=on&sql=${encodeURIComponent(`select * from readings limit ${rows}`)}`,
});

const NEWLINE = 10;

/** Reads a complete reply and counts its lines. @throws Error if it ends too early */
async function readExport(url: string): Promise<Export> {
  const began = performance.now();
  const response = await fetch(url, { headers: { "accept-encoding": "identity" } });
  if (!response.ok || response.body === null) throw new Error(`${url} answers ${response.status}`);
  let [bytes, rows, firstByteMs] = [0, 0, 0];
  for await (const piece of response.body as AsyncIterable<Uint8Array>) {
    firstByteMs ||= performance.now() - began;
    bytes += piece.length;
    for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, at + 1)) rows += 1;
  }
  return { rows, megabytes: bytes / 1e6, seconds: (performance.now() - began) / 1000, firstByteMs };
}

/**
 * Streams all rows in each format in sequence, and reports the peak memory of the server, and how many rows a second the
 * floor streams.
 */
export async function measureStreams(
  { origin, peakMegabytes }: Program,
  floor: Program,
  rows: number,
): Promise<void> {
  const head = ["rows", "MB", "seconds", "rows/s", "first ms", "peak MB", "floor", "of floor"];
  console.log(`\n${"whole exports".padEnd(22)}${head.map((title) => title.padStart(10)).join("")}`);
  for (const [name, path] of Object.entries(exports(rows))) {
    const bare = await readExport(floor.origin + path);
    const found = await readExport(origin + path);
    if (found.rows < rows - 1) throw new Error(`${name} brought ${found.rows} of ${rows} rows`);
    const figures = [
      found.rows,
      found.megabytes,
      found.seconds,
      found.rows / found.seconds,
      found.firstByteMs,
      await peakMegabytes(),
      bare.rows / bare.seconds,
      (found.rows / found.seconds) * (bare.seconds / bare.rows),
    ];
    console.log(`${name.padEnd(22)}${figures.map(figure).join("")}`);
  }
}

const figure = (value: number): string => value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0).padStart(10);
