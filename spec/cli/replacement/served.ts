import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Plugin } from "rowhouse/plugin-api";
import { bundledHooks } from "rowhouse/plugin-api/contracts";
import { kernelWith } from "../../harness/bare-kernel.js";
import { rowhouseFor, type Contents, type TestRowhouse } from "../../harness/index.js";

/**
 * True if the plugin does its work in a server. The plugin replaces the bundled one; null is for a server without either,
 * which may also refuse to start.
 */
export type Probe = (replacement: Plugin | null) => Promise<boolean>;

const tables = {
  books: [
    { id: 1, title: "Emma", latitude: 51.5, longitude: -0.1 },
    { id: 2, title: "Ulysses", latitude: 53.3, longitude: -6.3 },
  ],
};

const probe =
  (name: string, works: (rowhouse: TestRowhouse) => Promise<boolean>, contents: Contents = {}): Probe =>
  async (replacement) => {
    const plugins = [...(replacement === null ? [] : [replacement]), ...(contents.plugins ?? [])];
    const rowhouse = await rowhouseFor({ tables, ...contents, plugins, without: [name] });
    try {
      return await works(rowhouse);
    } finally {
      await rowhouse.close();
    }
  };

/** The page answers 200 with this text. */
const shows =
  (path: string, text: string, options = {}) =>
  async (rowhouse: TestRowhouse): Promise<boolean> => {
    const reply = await rowhouse.get(path, options);
    return reply.status === 200 && reply.text.includes(text);
  };

/** The page loads a file of the plugin's static folder, and the file exists. */
const loads =
  (path: string, plugin: string) =>
  async (rowhouse: TestRowhouse): Promise<boolean> => {
    const page = await rowhouse.get(path, { as: "root" });
    const [, file] = new RegExp(`"(/-/static-plugins/replacement-of-${plugin}/[^"]+)"`).exec(page.text) ?? [];
    return file !== undefined && (await rowhouse.get(file)).status === 200;
  };

/** The plugin registers a command of this name. */
const hasCommand =
  (name: string): Probe =>
  async (replacement) => {
    const owner: Plugin = { name: "owner", hooks: bundledHooks.commands };
    const kernel = await kernelWith([owner, ...(replacement === null ? [] : [replacement])]);
    const commands = await kernel.hooks.register_commands.promise([], kernel, {});
    return commands.some(({ command }) => command.startsWith(name));
  };

/** A plugin whose result is invalid, and a plugin with a command. */
const careless = { name: "careless", extra_css_urls: () => 5 } as unknown as Plugin;
const commanding: Plugin = {
  name: "commanding",
  register_commands: () => ({ command: "count", describe: "Counts", handler: () => undefined }),
};

/** The recorded groups that each bundled plugin serves, or a request of its own for plugins that serve none. */
export const served: Readonly<Record<string, readonly string[] | Probe>> = {
  "plugin-guard": probe(
    "plugin-guard",
    async (rowhouse) => {
      await rowhouse.get("/library/books");
      return rowhouse.logged.some((line) => line.includes("Plugin careless failed in extra_css_urls"));
    },
    { plugins: [careless] },
  ),
  sqlite: ["beyond-peer", "table", "sql", "filters", "sort-and-paging", "blobs", "write-insert"],
  postgres: probe("postgres", async ({ rowhouse }) => {
    const location = { uri: "postgres://reader@127.0.0.1:1/none", name: "none", mutable: true };
    const refusal = await rowhouse.addDatabase(location).catch((error: Error) => error.message);
    return String(refusal).startsWith("Could not open postgres://reader@127.0.0.1:1/none");
  }),
  commands: async (replacement) => {
    const kernel = await kernelWith([...(replacement === null ? [] : [replacement]), commanding]);
    return (await kernel.hooks.register_commands.promise([], kernel, {})).length === 1;
  },
  publish: probe("publish", async ({ rowhouse }) => {
    const commands = await rowhouse.hooks.register_commands.promise([], rowhouse, {});
    return commands.some(({ command }) => command.startsWith("publish"));
  }),
  backup: hasCommand("backup"),
  doctor: hasCommand("doctor"),
  copy: hasCommand("copy"),
  events: probe("events", async (rowhouse) => {
    await rowhouse.post("/library/books/-/insert", { as: "root", json: { row: { title: "Middlemarch" } } });
    return rowhouse.events.some(({ name }) => name === "insert-rows");
  }),
  metadata: ["canned-queries", "permissions", "instance"],
  "plugin-config": probe(
    "plugin-config",
    async ({ rowhouse }) => (await rowhouse.pluginConfig("shelf")) !== null,
    { pluginConfig: { shelf: { height: 3 } } },
  ),
  authorization: ["permissions", "tokens"],
  permissions: ["permissions", "sql"],
  "confine-sql": ["sql", "canned-queries"],
  tokens: ["tokens"],
  "actor-cookie": ["tokens", "errors"],
  actors: probe("actors", async ({ rowhouse }) => {
    const actors = await rowhouse.serviceIfAny("actors")?.fromIds(["ann"]);
    return actors?.["ann"]?.["id"] === "ann";
  }),
  login: ["errors"],
  limits: probe(
    "limits",
    async (rowhouse) => (await rowhouse.get("/library/books.json")).headers["ratelimit"] !== undefined,
    { settings: { max_requests: 5 } },
  ),
  csrf: ["errors"],
  messages: ["errors"],
  "permission-pages": ["permissions"],
  introspection: ["introspection"],
  probes: probe("probes", shows("/-/health", "true")),
  "static-files": ["instance"],
  pages: ["canned-queries", "instance"],
  download: probe(
    "download",
    async (rowhouse) => {
      const { status, headers } = await rowhouse.get("/library.db");
      return status === 200 && headers["content-type"] === "application/octet-stream";
    },
    { immutable: ["library"] },
  ),
  "row-access": ["table", "row"],
  advice: probe("advice", async ({ rowhouse }) => rowhouse.serviceIfAny("advice") !== null),
  tables: ["table", "row", "labels", "filters", "sort-and-paging"],
  "write-api": ["write-create", "write-insert", "write-update", "write-upsert", "write-delete", "write-drop"],
  "extra-filters": probe("extra-filters", async (rowhouse) => {
    const { json } = await rowhouse.get("/library/books.json?_where=id=2&_shape=array");
    return json.length === 1;
  }),
  search: ["search"],
  facets: ["facets"],
  grouping: probe("grouping", async (rowhouse) => {
    const { json } = await rowhouse.get("/library/books.json?_group=latitude&_shape=arrayfirst");
    return json.length === 2 && json[0] === 51.5;
  }),
  autocomplete: probe("autocomplete", shows("/library/books/-/autocomplete.json?q=Em", '"Emma"')),
  queries: ["canned-queries", "sql"],
  browse: ["database", "instance"],
  "api-explorer": ["errors"],
  openapi: probe("openapi", shows("/-/openapi.json", '"openapi"')),
  jump: probe("jump", loads("/", "jump")),
  "sql-editor": probe("sql-editor", loads("/library?sql=select+1", "sql-editor")),
  charts: probe("charts", loads("/library/books", "charts")),
  map: probe("map", loads("/library/books", "map")),
  "table-layout": probe("table-layout", loads("/library/books", "table-layout")),
  "row-details": probe("row-details", loads("/library/books/1", "row-details")),
  "column-stats": probe("column-stats", loads("/library/books/-/columns", "column-stats")),
  "schema-diagram": probe("schema-diagram", shows("/library/-/diagram.json", '"foreign_keys"')),
  "edit-pages": probe("edit-pages", loads("/library/-/new-table", "edit-pages")),
  import: probe("import", loads("/library/-/import", "import")),
  internal: probe("internal", shows("/_internal.json", '"database": "_internal"', { as: "root" })),
  "column-types": probe("column-types", loads("/library/books", "column-types"), {
    metadata: { databases: { library: { tables: { books: { column_types: { title: "textarea" } } } } } },
  }),
  "saved-views": async (replacement) => {
    const folder = await mkdtemp(join(tmpdir(), "rowhouse-views-"));
    const options = { internal: join(folder, "internal.db") };
    const listed = probe("saved-views", shows("/library/books/-/views.json", '"views": []'), { options });
    return listed(replacement).finally(() => rm(folder, { recursive: true, force: true }));
  },
  audit: async (replacement) => {
    const folder = await mkdtemp(join(tmpdir(), "rowhouse-audit-"));
    const options = { internal: join(folder, "internal.db") };
    const audited = probe("audit", shows("/-/audit.json", '"entries"', { as: "root" }), { options });
    return audited(replacement).finally(() => rm(folder, { recursive: true, force: true }));
  },
  json: ["shapes", "table", "introspection"],
  csv: ["csv"],
  blob: ["blobs"],
  "http-cache": ["database"],
  cors: probe(
    "cors",
    async (rowhouse) => {
      const { headers } = await rowhouse.get("/library/books.json");
      return headers["access-control-allow-origin"] === "*";
    },
    { options: { cors: true } },
  ),
  trace: probe("trace", shows("/library/books.json?_trace=1", '"_trace"'), {
    settings: { trace_debug: true },
  }),
  compression: probe("compression", async (rowhouse) => {
    const { headers } = await rowhouse.get("/library/books", { headers: { "accept-encoding": "gzip" } });
    return headers["content-encoding"] === "gzip";
  }),
  timing: probe("timing", async (rowhouse) => "server-timing" in (await rowhouse.get("/-/health")).headers, {
    settings: { server_timing: true },
  }),
  metrics: probe("metrics", shows("/-/metrics", "rowhouse_info", { as: "root" })),
  "request-log": probe(
    "request-log",
    async (rowhouse) => "x-request-id" in (await rowhouse.get("/-/health")).headers,
  ),
  redirects: ["database", "table"],
  errors: ["errors"],
};
