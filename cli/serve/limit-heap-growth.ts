import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** V8's space for new objects: both halves together. V8 would double it up to 32 MiB. */
const ENOUGH_NEW_SPACE_BYTES = 8 * 1_048_576;
/** How much the heap may grow before V8 collects all garbage. V8 would wait longer. */
const HEAP_GROWTH_PERCENT = 20;

/**
 * Makes V8 keep less garbage, except where the operator has chosen V8's options. Cached bytes that were evicted are
 * garbage too.
 */
export function limitHeapGrowth(): void {
  const chosen = [process.env["NODE_OPTIONS"], ...process.execArgv].join(" ").replaceAll("_", "-");
  if (!chosen.includes("--heap-growing-percent")) {
    setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  }
  if (!/--(max|min)-semi-space-size/.test(chosen)) limitNewSpace();
}

/** V8 reads the largest size of this space only at its start, but it reads by which factor it grows each time. */
function limitNewSpace(): void {
  let mayGrow = true;
  const observer = new PerformanceObserver(() => {
    const isSmall = newSpaceBytes() < ENOUGH_NEW_SPACE_BYTES;
    if (isSmall === mayGrow) return;
    // V8 shrinks the space of an idle process. Then it may grow again.
    mayGrow = isSmall;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  });
  observer.observe({ entryTypes: ["gc"] });
}

const newSpaceBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size ?? 0;
