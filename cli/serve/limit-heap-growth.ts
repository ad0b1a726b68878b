import { constants, PerformanceObserver, type PerformanceEntry } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

const MIB = 1_048_576;
/** V8's space for new objects, both halves together: it stops to grow at 16 MiB. V8 would double it up to 32 MiB. */
const ENOUGH_NEW_SPACE_BYTES = 15 * MIB;
/** How much the heap may grow before V8 collects all garbage. V8 would wait longer. */
const HEAP_GROWTH_PERCENT = 20;
/** Memory between old objects that V8 keeps until it moves them together. */
const ENOUGH_UNUSED_BYTES = 8 * MIB;

/**
 * Makes V8 keep less garbage and less unused memory, except where the operator has chosen V8's options. Cached bytes that
 * were evicted are garbage too.
 */
export function limitHeapGrowth(): void {
  const chosen = [process.env["NODE_OPTIONS"], ...process.execArgv].join(" ").replaceAll("_", "-");
  if (!chosen.includes("--heap-growing-percent")) {
    setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  }
  if (!/--(max|min)-semi-space-size/.test(chosen)) afterCollection(limitNewSpace());
  if (!/compact|optimize-for-size/.test(chosen)) afterCollection(limitUnusedMemory());
}

/** One collection. The types of Node leave its kind out. */
type Collection = PerformanceEntry & { readonly detail?: { readonly kind: number } };
type Limit = (collection: Collection) => void;

function afterCollection(limit: Limit): void {
  new PerformanceObserver((list) => list.getEntries().forEach(limit)).observe({ entryTypes: ["gc"] });
}

/** V8 reads the largest size of this space only at its start, but it reads by which factor it grows each time. */
function limitNewSpace(): Limit {
  let mayGrow = true;
  const limit = (): void => {
    const isSmall = space("new_space").space_size < ENOUGH_NEW_SPACE_BYTES;
    if (isSmall === mayGrow) return;
    // V8 shrinks the space of an idle process. Then it may grow again.
    mayGrow = isSmall;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  };
  // Loading the program has made it grow already.
  limit();
  return limit;
}

/**
 * To move objects together takes several times as long as to collect garbage, so V8 is to do it only now and then. With
 * `--optimize-for-size` it moves 6 MB at most in one collection (`ComputeEvacuationHeuristics` in V8's mark-compact.cc).
 * `--compact-on-every-full-gc` has no such limit: to move the 18 MB of a small server stopped it for 60 ms on a busy machine.
 */
function limitUnusedMemory(): Limit {
  let isForSize = false;
  return ({ detail }) => {
    if (detail?.kind !== constants.NODE_PERFORMANCE_GC_MAJOR) return;
    const { space_size: size, space_used_size: used } = space("old_space");
    const isLarge = size - used > ENOUGH_UNUSED_BYTES;
    if (isLarge === isForSize) return;
    isForSize = isLarge;
    setFlagsFromString(isForSize ? "--optimize-for-size" : "--no-optimize-for-size");
  };
}

function space(name: string): Pick<SpaceStatistics, "space_size" | "space_used_size"> {
  const found = getHeapSpaceStatistics().find(({ space_name: one }) => one === name);
  return found ?? { space_size: 0, space_used_size: 0 };
}

type SpaceStatistics = ReturnType<typeof getHeapSpaceStatistics>[number];
