import type { Program } from "./program.js";

const COLUMNS = ["id", "name", "kind", "place", "level", "noted", "note"] as const;

const cells = (id: number): readonly (string | number | null)[] => [
  id,
  `Reading number ${id}`,
  "beacon",
  id % 97,
  id / 8 + 0.5,
  id % 5 === 0 ? null : "Noted by keeper 7",
  `A longer remark on reading ${id}, with a comma, and an é`,
];

interface Format {
  readonly type: string;
  readonly head: string;
  line(id: number): string;
}

const formats: Readonly<Record<string, Format>> = {
  "JSON lines": {
    type: "application/x-ndjson",
    head: "",
    line: (id) => `${JSON.stringify(Object.fromEntries(COLUMNS.map((name, at) => [name, cells(id)[at]])))}\n`,
  },
  CSV: {
    type: "text/csv",
    head: `${COLUMNS.join(",")}\n`,
    line: (id) =>
      `${cells(id)
        .map((cell) => (typeof cell === "string" ? `"${cell}"` : (cell ?? "")))
        .join(",")}\n`,
  },
};

const LINES_AT_ONCE = 1_000;

async function* body({ head, line }: Format, rows: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from(head);
  for (let id = 1; id <= rows; id += LINES_AT_ONCE) {
    const count = Math.min(LINES_AT_ONCE, rows - id + 1);
    yield Buffer.from(Array.from({ length: count }, (_, index) => line(id + index)).join(""));
  }
}

/** Streams rows into a table in every format, one request each, and reports the peak memory of the server. */
export async function measureImports({ origin, peakMegabytes }: Program, rows: number): Promise<void> {
  const head = ["rows", "MB", "seconds", "rows/s", "peak MB"];
  console.log(`\n${"whole imports".padEnd(22)}${head.map((title) => title.padStart(10)).join("")}`);
  for (const [name, format] of Object.entries(formats)) {
    let bytes = 0;
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of body(format, rows)) {
        bytes += piece.length;
        yield piece;
      }
    };
    const began = performance.now();
    const response = await fetch(`${origin}/bench/few/-/insert`, {
      method: "POST",
      headers: { "content-type": format.type },
      body: ReadableStream.from(counted()),
      duplex: "half",
    } as RequestInit);
    const seconds = (performance.now() - began) / 1000;
    const { row_count: stored } = (await response.json()) as { readonly row_count?: number };
    if (stored !== rows)
      throw new Error(`${name} stored ${stored ?? "none"} of ${rows} rows: ${response.status}`);
    const figures = [rows, bytes / 1e6, seconds, rows / seconds, await peakMegabytes()];
    console.log(`${name.padEnd(22)}${figures.map(figure).join("")}`);
  }
}

const figure = (value: number): string => value.toFixed(value < 100 ? 1 : 0).padStart(10);
