import type { Database, Request } from "rowhouse/plugin-api";

interface Entry {
  readonly value: Promise<unknown>;
  /** Milliseconds since the epoch after which the entry is made anew. */
  expires: number;
}

interface Memory {
  readonly data: string;
  readonly entries: Map<string, Entry>;
}

const MOST_ENTRIES = 1000;
const UNKNOWN_FOR_MS = 30_000;

const memories = new WeakMap<Database, Memory>();
const versions = new WeakMap<Request, Map<Database, Promise<string>>>();

/**
 * What `produce` resolves to, kept until the data of `database` changes; the least recently used goes first.
 * `key` must tell everything the answer depends on. Null, for "not known in time", is kept half a minute.
 */
export async function remember<T>(
  request: Request,
  database: Database,
  key: string,
  produce: () => Promise<T>,
): Promise<T> {
  const entries = entriesOf(database, await dataVersion(request, database));
  const known = entries.get(key);
  if (known !== undefined && known.expires > Date.now()) {
    entries.delete(key);
    entries.set(key, known);
    return known.value as Promise<T>;
  }
  const entry: Entry = { value: produce(), expires: Infinity };
  entries.set(key, entry);
  if (entries.size > MOST_ENTRIES) forgetOldest(entries);
  void limitUnknown(entry, () => entries.delete(key));
  return entry.value as Promise<T>;
}

async function limitUnknown(entry: Entry, forget: () => void): Promise<void> {
  try {
    if ((await entry.value) === null) entry.expires = Date.now() + UNKNOWN_FOR_MS;
  } catch {
    // Whoever asked is told; nobody else shall be.
    forget();
  }
}

/** Asked once a request, so that a page costs one look at the database however much it remembers. */
function dataVersion(request: Request, database: Database): Promise<string> {
  const asked = versions.get(request) ?? new Map<Database, Promise<string>>();
  versions.set(request, asked);
  const known = asked.get(database);
  if (known !== undefined) return known;
  const version = database.version().then(({ data, schema }) => `${schema}/${data}`);
  asked.set(database, version);
  return version;
}

function entriesOf(database: Database, data: string): Map<string, Entry> {
  const memory = memories.get(database);
  if (memory?.data === data) return memory.entries;
  const fresh: Memory = { data, entries: new Map() };
  memories.set(database, fresh);
  return fresh.entries;
}

function forgetOldest(entries: Map<string, Entry>): void {
  const oldest = entries.keys().next().value;
  if (oldest !== undefined) entries.delete(oldest);
}
