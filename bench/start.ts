import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { median } from "./figures.js";
import { startProgram } from "./program.js";

/** A checkout whose command is measured. */
export interface Checkout {
  readonly name: string;
  readonly folder: string;
}

interface Measurement {
  readonly name: string;
  /** Processor time of the process and its threads, in ms. */
  once(checkout: Checkout): Promise<number>;
}

/**
 * Compares the processor time of starts, in alternating rounds: other load on the machine affects all checkouts.
 *
 * @param file a database with a table `few`
 */
export async function compareStarts(
  checkouts: readonly Checkout[],
  file: string,
  rounds: number,
): Promise<void> {
  console.log(
    `\n${"start, ms of processor".padEnd(28)}${checkouts.map(({ name }) => name.padStart(14)).join("")}`,
  );
  for (const { name, once } of measurements(file)) {
    const times = checkouts.map((): number[] => []);
    for (let round = 0; round < rounds; round++) {
      for (const [index, checkout] of checkouts.entries()) times[index]?.push(await once(checkout));
    }
    const figures = times.map((all) => median(all).toFixed(0).padStart(14)).join("");
    const [first = NaN, second = NaN] = times.map(median);
    console.log(
      `${name.padEnd(28)}${figures}${checkouts.length > 1 ? (first / second).toFixed(2).padStart(8) : ""}`,
    );
  }
}

const measurements = (file: string): readonly Measurement[] => [
  { name: "node itself", once: () => runTime(["-e", "0"]) },
  { name: "--version", once: (checkout) => runTime([launcherOf(checkout), "--version"]) },
  { name: "--help", once: (checkout) => runTime([launcherOf(checkout), "--help"]) },
  { name: "until the first answer", once: (checkout) => firstAnswerTime(launcherOf(checkout), file) },
];

const launcherOf = ({ folder }: Checkout): string => join(folder, "dist/cli/rowhouse.cjs");

/** The shell prints the times of ended children, which Node does not. */
async function runTime(words: readonly string[]): Promise<number> {
  const script = '"$0" "$@" >/dev/null; times';
  const { stdout } = await promisify(execFile)("sh", ["-c", script, process.execPath, ...words]);
  const ofChildren = stdout.trim().split("\n").at(-1) ?? "";
  const seconds = [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  return seconds.reduce((sum, one) => sum + one, 0) * 1000;
}

async function firstAnswerTime(launcher: string, file: string): Promise<number> {
  const program = await startProgram(launcher, [file, "-p", "0", "--no-config"]);
  try {
    const response = await fetch(`${program.origin}/bench/few.json`);
    await response.text();
    if (!response.ok) throw new Error(`The first answer has status ${response.status}`);
    return await processorTime(program.pid);
  } finally {
    program.stop();
  }
}

/** `utime` and `stime` of Linux, in ticks of 10 ms. The name of the program is in parentheses. */
async function processorTime(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
