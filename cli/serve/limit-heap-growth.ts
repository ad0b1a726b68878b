import { constants, PerformanceObserver, type PerformanceEntry } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

const MIB = 1_048_576;
/** V8's space for new objects: both halves together. V8 would double it up to 32 MiB. */
const ENOUGH_NEW_SPACE_BYTES = 8 * MIB;
/** How much the heap may grow before V8 collects all garbage. V8 would wait longer. */
const HEAP_GROWTH_PERCENT = 20;
/** Memory between old objects that V8 keeps until it moves them together. */
const ENOUGH_UNUSED_BYTES = 8 * MIB;
/** More old objects take over 50 ms to move on a slow machine, in which the event loop does nothing else. */
const MOST_MOVED_BYTES = 40 * MIB;

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
  if (!chosen.includes("compact")) afterCollection(limitUnusedMemory());
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
  return () => {
    const isSmall = space("new_space").space_size < ENOUGH_NEW_SPACE_BYTES;
    if (isSmall === mayGrow) return;
    // V8 shrinks the space of an idle process. Then it may grow again.
    mayGrow = isSmall;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  };
}

/** To move objects together takes several times as long as to collect garbage, so V8 is to do it only now and then. */
function limitUnusedMemory(): Limit {
  let compacts = false;
  return ({ detail }) => {
    if (detail?.kind !== constants.NODE_PERFORMANCE_GC_MAJOR) return;
    const { space_size: size, space_used_size: used } = space("old_space");
    const compactsNext = size - used > ENOUGH_UNUSED_BYTES && used < MOST_MOVED_BYTES;
    if (compactsNext === compacts) return;
    compacts = compactsNext;
    setFlagsFromString(compacts ? "--compact-on-every-full-gc" : "--no-compact-on-every-full-gc");
  };
}

function space(name: string): Pick<SpaceStatistics, "space_size" | "space_used_size"> {
  const found = getHeapSpaceStatistics().find(({ space_name: one }) => one === name);
  return found ?? { space_size: 0, space_used_size: 0 };
}

type SpaceStatistics = ReturnType<typeof getHeapSpaceStatistics>[number];
