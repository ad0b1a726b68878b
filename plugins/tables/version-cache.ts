import { LRUCache } from "lru-cache";
import type { Database, Request } from "rowhouse/plugin-api";
import type { SelectedTable } from "rowhouse/plugin-api/contracts";
import { dependsOnDataAlone, hasStoredRows } from "rowhouse/plugin-api/engine";
import { reportedCache } from "rowhouse/plugin-api/kernel";

interface Entry {
  readonly value: Promise<unknown>;
  /** Resolves when `value` has settled and `expiresMs` and `aborted` are final; never rejects. */
  settled: Promise<void>;
  /** The time of `performance.now()` after which the entry is invalid. */
  expiresMs: number;
  /** The client disconnected and may have cancelled the computation: the value must not be used for others. */
  aborted: boolean;
  /** About how many bytes the value takes; 0 until it is known. */
  sizeBytes: number;
  /** The keys of its database, from which its own is removed when it is evicted. */
  readonly keys: Set<string>;
}

/** The entries of one database at one version. */
interface VersionCache {
  readonly data: string;
  /** Begins the keys of these entries, which share a cache with those of other databases. */
  readonly prefix: string;
  readonly keys: Set<string>;
}

const DEFAULT_BYTES = 4_194_304;
const ENTRY_BYTES = 500;
const NULL_LIFETIME_MS = 30_000;
/** How long a result is kept that may change although the data does not: not long, but longer than it took. */
export const varyingLifetimeMs = (tookMs: number): number => Math.max(1_000, 10 * tookMs);

/** One cache for all databases of the process, so that its limit does not grow with their number. */
let entries = newEntries(DEFAULT_BYTES);
const caches = new WeakMap<Database, VersionCache>();
let lastPrefix = 0;
const versions = new WeakMap<Request, Map<Database, Promise<string>>>();

/** Sets the memory of the cache: the setting `result_cache_kb`. */
export function limitResults(bytes: number): void {
  if (listed.maxSize !== Math.max(1, bytes)) entries = newEntries(bytes);
}

function newEntries(bytes: number): LRUCache<string, Entry> {
  return new LRUCache({
    maxSize: Math.max(1, bytes),
    sizeCalculation: ({ sizeBytes }, key) => key.length + sizeBytes + ENTRY_BYTES,
    dispose: ({ keys }, key) => void keys.delete(key),
  });
}

const listed = reportedCache("results", {
  get size() {
    return entries.size;
  },
  get calculatedSize() {
    return entries.calculatedSize;
  },
  get maxSize() {
    return entries.maxSize;
  },
});

/**
 * Caches the result of `produce` until the data of the database changes. `key` must contain everything that the result
 * depends on. Null, for "timed out", is cached for half a minute, and what may change although the data does not for a
 * second or ten times as long as it took. The least recently used entries are evicted first.
 */
export async function cached<T>(
  request: Request,
  source: SelectedTable,
  key: string,
  produce: () => Promise<T>,
): Promise<T> {
  const { database } = source;
  const { prefix, keys } = versionOf(database, await currentVersion(request, database));
  const id = prefix + key;
  const known = entries.get(id);
  if (known !== undefined && known.expiresMs > performance.now()) {
    const answer = known.value as Promise<T>;
    await known.settled;
    return known.aborted ? cached(request, source, key, produce) : answer;
  }
  const lifetimeOf = mayVary(request, source) ? varyingLifetimeMs : () => Infinity;
  const entry = makeEntry(request, { keys, lifetimeOf }, produce, () => entries.delete(id));
  add(id, entry);
  void updateSize(id, entry);
  return entry.value as Promise<T>;
}

function add(id: string, entry: Entry): void {
  entries.set(id, entry);
  if (entries.has(id)) entry.keys.add(id);
}

/** Updates the size of an entry when its value is known. The cache reads it only when an entry is added. */
async function updateSize(id: string, entry: Entry): Promise<void> {
  await entry.settled;
  if (entries.peek(id) !== entry) return;
  entries.delete(id);
  add(id, entry);
}

function makeEntry(
  { signal }: Request,
  { keys, lifetimeOf }: { readonly keys: Set<string>; lifetimeOf(tookMs: number): number },
  produce: () => Promise<unknown>,
  forget: () => void,
): Entry {
  const startedMs = performance.now();
  const value = produce();
  const settle = async (): Promise<void> => {
    // The caller gets the error. It is not cached for others.
    const answer = await value.catch(() => void forget());
    entry.sizeBytes = sizeOf(answer);
    const lifetimeMs = answer === null ? NULL_LIFETIME_MS : lifetimeOf(performance.now() - startedMs);
    entry.expiresMs = performance.now() + lifetimeMs;
    if (!signal.aborted) return;
    entry.aborted = true;
    forget();
  };
  const entry: Entry = {
    value,
    expiresMs: Infinity,
    aborted: false,
    sizeBytes: 0,
    keys,
    settled: Promise.resolve(),
  };
  entry.settled = settle();
  return entry;
}

/** True if the table or a condition of the request may show something else although the data is the same. */
function mayVary({ query }: Request, { database, table }: SelectedTable): boolean {
  const sql = query.getAll("_where");
  if (sql.length === 0 && hasStoredRows(table)) return false;
  const schema = database.lastSchema;
  return schema === null || !dependsOnDataAlone(database, schema, { table, sql });
}

/** Reads the version once per request, however many values the page caches. */
function currentVersion(request: Request, database: Database): Promise<string> {
  const byDatabase = versions.get(request) ?? new Map<Database, Promise<string>>();
  versions.set(request, byDatabase);
  const known = byDatabase.get(database);
  if (known !== undefined) return known;
  const version = database.version(request.receivedMs).then(({ data, schema }) => `${schema}/${data}`);
  byDatabase.set(database, version);
  return version;
}

/** The entries of this version. Those of another version are dropped. */
function versionOf(database: Database, data: string): VersionCache {
  const known = caches.get(database);
  if (known?.data === data) return known;
  for (const key of known?.keys ?? []) entries.delete(key);
  lastPrefix += 1;
  const fresh: VersionCache = { data, prefix: `${lastPrefix} `, keys: new Set() };
  caches.set(database, fresh);
  return fresh;
}

/** About how many bytes a value takes. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length + 20;
  if (value instanceof Uint8Array) return value.length + 100;
  if (typeof value !== "object" || value === null) return 10;
  const members: readonly unknown[] =
    value instanceof Map ? [...value].flat() : Array.isArray(value) ? value : Object.values(value);
  return members.reduce((size: number, member) => size + sizeOf(member), 50);
}
