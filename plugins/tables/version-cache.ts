import { LRUCache } from "lru-cache";
import type { Database, Request } from "rowhouse/plugin-api";

interface Entry {
  readonly value: Promise<unknown>;
  /** Resolves when `value` has settled and `expires` and `aborted` are final; never rejects. */
  settled: Promise<void>;
  /** Milliseconds since the epoch after which the entry is invalid. */
  expires: number;
  /** The client disconnected and may have cancelled the computation: the value must not be used for others. */
  aborted: boolean;
  /** About how many bytes the value takes; 0 until it is known. */
  size: number;
}

interface VersionCache {
  readonly data: string;
  readonly entries: LRUCache<string, Entry>;
}

const MOST_ENTRIES = 1000;
// Keys contain the arguments of the request, so their number alone would be no limit.
const MOST_BYTES = 8_000_000;
const NULL_LIFETIME_MS = 30_000;

const caches = new WeakMap<Database, VersionCache>();
const versions = new WeakMap<Request, Map<Database, Promise<string>>>();

/**
 * Caches the result of `produce` until the data of `database` changes. `key` must contain everything that the result
 * depends on. Null, for "timed out", is cached for half a minute. The least recently used entries are evicted first.
 */
export async function cached<T>(
  request: Request,
  database: Database,
  key: string,
  produce: () => Promise<T>,
): Promise<T> {
  const entries = entriesOf(database, await currentVersion(request, database));
  const known = entries.get(key);
  if (known !== undefined && known.expires > Date.now()) {
    const answer = known.value as Promise<T>;
    await known.settled;
    return known.aborted ? cached(request, database, key, produce) : answer;
  }
  const entry = makeEntry(request, produce, () => entries.delete(key));
  entries.set(key, entry);
  void weighed(entries, key, entry);
  return entry.value as Promise<T>;
}

/** The size of an entry is only read when it is added: it is added again when its value is known. */
async function weighed(entries: VersionCache["entries"], key: string, entry: Entry): Promise<void> {
  await entry.settled;
  if (entries.peek(key) !== entry) return;
  entries.delete(key);
  entries.set(key, entry);
}

function makeEntry({ signal }: Request, produce: () => Promise<unknown>, forget: () => void): Entry {
  const value = produce();
  const settle = async (): Promise<void> => {
    // The caller gets the error. It is not cached for others.
    const isUnknown = await value.then(
      (answer) => ((entry.size = sizeOf(answer)), answer === null),
      () => (forget(), false),
    );
    if (isUnknown) entry.expires = Date.now() + NULL_LIFETIME_MS;
    if (!signal.aborted) return;
    entry.aborted = true;
    forget();
  };
  const entry: Entry = { value, expires: Infinity, aborted: false, size: 0, settled: Promise.resolve() };
  entry.settled = settle();
  return entry;
}

/** Reads the version once per request, however many values the page caches. */
function currentVersion(request: Request, database: Database): Promise<string> {
  const byDatabase = versions.get(request) ?? new Map<Database, Promise<string>>();
  versions.set(request, byDatabase);
  const known = byDatabase.get(database);
  if (known !== undefined) return known;
  const version = database.version().then(({ data, schema }) => `${schema}/${data}`);
  byDatabase.set(database, version);
  return version;
}

function entriesOf(database: Database, data: string): VersionCache["entries"] {
  const memory = caches.get(database);
  if (memory?.data === data) return memory.entries;
  const entries = new LRUCache<string, Entry>({
    max: MOST_ENTRIES,
    maxSize: MOST_BYTES,
    sizeCalculation: ({ size }, key) => key.length + size + 500,
  });
  const fresh: VersionCache = { data, entries };
  caches.set(database, fresh);
  return fresh.entries;
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
