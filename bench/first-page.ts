import { median } from "./figures.js";
import type { Program } from "./program.js";

const PAGE = "/bench/readings.json";
const REPEATS = 20;

async function milliseconds(url: string): Promise<number> {
  const began = performance.now();
  const response = await fetch(url);
  await response.text();
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  return performance.now() - began;
}

/** The default page with its count and suggestions: the first request, and later ones. */
export async function measureFirstPage({ origin }: Program): Promise<void> {
  // The start-up of a server is not measured here.
  for (let turn = 0; turn < REPEATS; turn++) await milliseconds(`${origin}/bench/few.json?_facet=kind`);
  console.log(
    `\n${"default page, ms".padEnd(22)}${["first", "second", "median"].map((t) => t.padStart(10)).join("")}`,
  );
  for (const more of ["", "?_facet=kind", "?score__gt=1000", "?place=7"]) {
    const times: number[] = [];
    for (let turn = 0; turn < REPEATS; turn++) times.push(await milliseconds(origin + PAGE + more));
    const [first = NaN, second = NaN, ...rest] = times;
    const figures = [first, second, median(rest)].map((value) => value.toFixed(1).padStart(10)).join("");
    console.log(`${(more === "" ? "as it is" : more).padEnd(22)}${figures}`);
  }
}
