import type { Database, Request } from "rowhouse/plugin-api";

interface Entry {
  readonly value: Promise<unknown>;
  /** Resolves when it is known what to think of the value; never rejects. */
  settled: Promise<void>;
  /** Milliseconds since the epoch after which the entry is made anew. */
  expires: number;
  /** Whoever it was made for went away meanwhile, and may have ended it: it tells nothing. */
  spoiled: boolean;
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
export async function cached<T>(
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
    const answer = known.value as Promise<T>;
    await known.settled;
    return known.spoiled ? cached(request, database, key, produce) : answer;
  }
  const entry = makeEntry(request, produce, () => entries.delete(key));
  entries.set(key, entry);
  if (entries.size > MOST_ENTRIES) forgetOldest(entries);
  return entry.value as Promise<T>;
}

function makeEntry({ signal }: Request, produce: () => Promise<unknown>, forget: () => void): Entry {
  const value = produce();
  const settle = async (): Promise<void> => {
    // Of a failure whoever asked is told; nobody else shall be.
    const isUnknown = await value.then(
      (answer) => answer === null,
      () => (forget(), false),
    );
    if (isUnknown) entry.expires = Date.now() + UNKNOWN_FOR_MS;
    if (!signal.aborted) return;
    entry.spoiled = true;
    forget();
  };
  const entry: Entry = { value, expires: Infinity, spoiled: false, settled: Promise.resolve() };
  entry.settled = settle();
  return entry;
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
