import { median } from "./figures.js";
import { requestsASecond } from "./insert-clients.js";
import type { Effort } from "./load.js";
import type { Program } from "./program.js";

const reading = (index: number): object => ({
  name: `Reading number ${index}`,
  kind: "beacon",
  place: index % 97,
  level: index / 7,
  height: (index % 1000) / 8,
  noted: index % 5 === 0 ? null : "Noted by keeper 7",
  opened: "2011-03-05",
  score: (index * 7919) % 100_003,
  note: `A longer remark on reading ${index}, with a "quote", a comma and an é`,
});

interface Load {
  readonly name: string;
  readonly clients: number;
  readonly rowsPerRequest: number;
  /** Rowhouse returns the stored rows; the bare program does not. */
  readonly return?: boolean;
  /** The rows have keys that exist. */
  readonly upsert?: boolean;
}

const loads: readonly Load[] = [
  { name: "16 clients, one row each", clients: 16, rowsPerRequest: 1 },
  { name: "the same, and rows come back", clients: 16, rowsPerRequest: 1, return: true },
  { name: "one client, 1,000 rows each", clients: 1, rowsPerRequest: 1_000 },
  { name: "16 clients, upserts of one", clients: 16, rowsPerRequest: 1, upsert: true },
  { name: "one client, 1,000 upserts", clients: 1, rowsPerRequest: 1_000, upsert: true },
];

/** Rows per second that are inserted or changed. Each is on disk when it is acknowledged. */
async function measure({ origin }: Program, load: Load, seconds: number): Promise<number> {
  const rows = Array.from({ length: load.rowsPerRequest }, (_, index) => ({
    ...(load.upsert && { id: index + 1 }),
    ...reading(index),
  }));
  const clients = {
    count: load.clients,
    path: `/bench/readings/-/${load.upsert ? "upsert" : "insert"}`,
    body: JSON.stringify({ rows, return: load.return }),
  };
  return (await requestsASecond(origin, clients, seconds)) * load.rowsPerRequest;
}

/** The same rows per second of a bare program on the same file, which commits each request by itself. */
export async function compareWrites(
  journal: string,
  [ours, bare]: readonly [Program, Program],
  { seconds, rounds }: Pick<Effort, "seconds" | "rounds">,
): Promise<void> {
  const titles = ["Rowhouse".padStart(9), "bare".padStart(9), "ratio".padStart(8)];
  console.log(`\n${`rows a second (${journal})`.padEnd(30)}${titles.join("")}`);
  for (const load of loads) {
    for (const program of [ours, bare]) await measure(program, load, 1);
    const speeds: { ours: number; bare: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      speeds.push({ ours: await measure(ours, load, seconds), bare: await measure(bare, load, seconds) });
    }
    const ourSpeed = median(speeds.map((speed) => speed.ours));
    const bareSpeed = median(speeds.map((speed) => speed.bare));
    const figures = [ourSpeed.toFixed(0).padStart(9), bareSpeed.toFixed(0).padStart(9)];
    console.log(`${load.name.padEnd(30)}${figures.join("")}${(ourSpeed / bareSpeed).toFixed(2).padStart(8)}`);
  }
}
