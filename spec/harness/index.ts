import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kernel, listen, type PluginInput } from "rowhouse";
import { bundledPlugins } from "rowhouse/plugins";
import { definePlugin, type Log, type Plugin, type Rowhouse, type SettingValue } from "rowhouse/plugin-api";
import type { TrackedEvent } from "rowhouse/plugin-api/contracts";
import type { DatabaseLocation } from "rowhouse/plugin-api/engine";
import type { Options } from "rowhouse/plugin-api/kernel";
import { assertionsOn, type Assertions } from "./assertions.js";
import { closeWhenDone } from "./lifetimes.js";
import { openRaw, buildDatabase } from "./raw-sqlite.js";
import { contentOf, send, type RequestOptions, type TestReply } from "./requests.js";
import { tablesScript, viewsScript, type TableLiteral } from "./tables.js";

export type { Assertions } from "./assertions.js";
export type { RequestOptions, TestReply } from "./requests.js";
export type { Literal, TableLiteral } from "./tables.js";

/** What the server of a spec serves: the database `library`, and those of `databases`. */
export interface Contents {
  readonly tables?: Readonly<Record<string, TableLiteral>>;
  /** SELECT statements by the name of the view. */
  readonly views?: Readonly<Record<string, string>>;
  /** An SQL script that runs after the tables and views were created. */
  readonly sql?: string;
  /** Further databases: SQL scripts by name. */
  readonly databases?: Readonly<Record<string, string>>;
  /** Names of databases that never change. */
  readonly immutable?: readonly string[];
  /** Loaded before the bundled ones. */
  readonly plugins?: readonly Plugin[];
  /** Names of bundled plugins to leave out. */
  readonly without?: readonly string[];
  readonly metadata?: object;
  readonly settings?: Readonly<Record<string, SettingValue>>;
  /** Start options, as of the command line. */
  readonly options?: Partial<Options>;
  /** Configuration blocks by plugin name. */
  readonly pluginConfig?: Readonly<Record<string, unknown>>;
}

/** A running server with temporary SQLite files. */
export interface TestRowhouse extends Assertions {
  /** The service object, as plugins see it. */
  readonly rowhouse: Rowhouse;
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly port: number;
  /** The events so far, oldest first. */
  readonly events: readonly TrackedEvent[];
  /** The lines of the log so far: `level: message`. */
  readonly logged: readonly string[];
  get(path: string, options?: RequestOptions): Promise<TestReply>;
  post(path: string, options?: RequestOptions): Promise<TestReply>;
  request(method: string, path: string, options?: RequestOptions): Promise<TestReply>;
  /** The rows of a table of `library` in the file, in the order of the rowid. Rowhouse is not used to read them. */
  rows(table: string): Promise<Record<string, unknown>[]>;
  /** The rows of a statement on the file of `library`, or of another database. Rowhouse is not used to read them. */
  query(sql: string, database?: string): Promise<Record<string, unknown>[]>;
  /** The path of the file of a database. */
  file(database?: string): string;
  close(): Promise<void>;
}

const MAIN = "library";
const SECRET = "a secret of at least thirty-two bytes for specs";
/** The time limits of the server: a busy machine can pause for seconds, and replies must not depend on that. */
const TIME_LIMIT_MS = 30_000;

/**
 * Starts a server on a free port, with database files in a temporary folder.
 *
 * ```ts
 * const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1, title: "Emma" }] }, plugins: [mine] });
 * const { status, json } = await rowhouse.get("/library/books.json", { as: "ann" });
 * ```
 *
 * Time limits (the settings `..._time_limit_ms`) are 30 seconds unless `settings` has others. Mocha closes the server
 * after the test that started it, or, if a `before` hook started it, after the tests of this file. With other test
 * runners, such as `node:test`, call `close()`.
 *
 * @throws StartupError if a plugin, a setting or the metadata stops the start
 */
export async function rowhouseFor(contents: Contents = {}): Promise<TestRowhouse> {
  const folder = await mkdtemp(join(tmpdir(), "rowhouse-spec-"));
  const removeFolder = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const file = (database = MAIN): string => join(folder, `${database}.db`);
  const events: TrackedEvent[] = [];
  const logged: string[] = [];
  const kernel = await openKernel(contents, file, { events, logged }).catch(async (error: unknown) => {
    await removeFolder();
    throw error;
  });
  const server = await listen(kernel, { host: "127.0.0.1", port: 0 });

  const request: TestRowhouse["request"] = (method, path, options = {}) =>
    send(
      server.port,
      method,
      path,
      contentOf(options, (value, namespace) => kernel.sign(value, namespace)),
    );
  const query: TestRowhouse["query"] = (sql, database) => queryFile(file(database), sql);
  let closed: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    await server.close(0);
    await kernel.close();
    await removeFolder();
  };
  const served: TestRowhouse = {
    rowhouse: kernel,
    origin: server.url,
    port: server.port,
    events,
    logged,
    get: (path, options) => request("GET", path, options),
    post: (path, options) => request("POST", path, options),
    request,
    rows: (table) => query(`select * from "${table.replaceAll('"', '""')}"`),
    query,
    file,
    close: () => (closed ??= close()),
    ...assertionsOn(kernel, events),
  };
  closeWhenDone(served);
  return served;
}

/** What the server of a spec records. */
interface Records {
  readonly events: TrackedEvent[];
  readonly logged: string[];
}

/** Creates the files and opens them. */
async function openKernel(
  contents: Contents,
  file: (database: string) => string,
  { events, logged }: Records,
): Promise<Kernel> {
  for (const [name, script] of Object.entries(scripts(contents))) await buildDatabase(file(name), script);
  return Kernel.open({
    plugins: pluginsOf(contents, events),
    switchedOff: bundledPlugins.filter(({ name }) => contents.without?.includes(name)),
    databases: locations(contents, file),
    settings: settingsOf(contents),
    secrets: [SECRET],
    options: optionsOf(contents),
    log: logInto(logged),
  });
}

/** SQL by database name. */
const scripts = ({
  tables = {},
  views = {},
  sql = "",
  databases = {},
}: Contents): Record<string, string> => ({
  [MAIN]: [tablesScript(tables), viewsScript(views), sql].join("\n"),
  ...databases,
});

const locations = (contents: Contents, file: (database: string) => string): DatabaseLocation[] =>
  Object.keys(scripts(contents)).map((name) => ({
    uri: `file:${file(name)}`,
    name,
    mutable: !(contents.immutable ?? []).includes(name),
    shownPath: `${name}.db`,
  }));

function pluginsOf({ plugins = [], without = [] }: Contents, events: TrackedEvent[]): PluginInput[] {
  const kept = bundledPlugins.filter(({ name }) => !without.includes(name));
  const recorder = definePlugin({
    name: "recorder-of-specs",
    track_event: (_rowhouse, { event }) => void events.push(event),
  });
  // The owner of the hook may be switched off.
  const hasEvents = [...kept, ...plugins].some(({ hooks }) => hooks !== undefined && "track_event" in hooks);
  return [
    ...[...(hasEvents ? [recorder] : []), ...plugins].map((plugin) => ({ plugin })),
    ...kept.map((plugin) => ({ plugin })),
  ];
}

/** The settings of the spec, and the time limits that loaded plugins declare. */
function settingsOf({ settings = {}, plugins = [], without = [] }: Contents): Contents["settings"] & object {
  const kept = bundledPlugins.filter(({ name }) => !without.includes(name));
  const limits = [...kept, ...plugins]
    .flatMap((plugin) => plugin.settings ?? [])
    .filter(({ name }) => name.endsWith("_time_limit_ms") || name === "slow_sql_ms")
    .map(({ name }) => [name, TIME_LIMIT_MS]);
  return { ...Object.fromEntries(limits), ...settings };
}

const optionsOf = ({
  metadata,
  pluginConfig = {},
  plugins = [],
  options = {},
}: Contents): Partial<Options> => ({
  installedPlugins: plugins.map(({ name }) => name),
  pluginConfig,
  secretSources: { env: (name) => process.env[name] ?? null, file: (path) => readFileSync(path, "utf8") },
  ...(metadata === undefined ? {} : { metadata: { document: metadata, source: "metadata.json" } }),
  ...options,
});

const logInto = (lines: string[]): Log => ({
  info: (message) => void lines.push(`info: ${message}`),
  warn: (message) => void lines.push(`warn: ${message}`),
  error: (message, cause) =>
    void lines.push(`error: ${message}${cause instanceof Error ? ` ${cause.message}` : ""}`),
});

async function queryFile(file: string, sql: string): Promise<Record<string, unknown>[]> {
  const database = await openRaw(file);
  try {
    return await database.all(sql);
  } finally {
    await database.close();
  }
}
