import type { Database, Rowhouse, Visit } from "rowhouse/plugin-api";

/** The versions of Node, Rowhouse and SQLite. */
export async function versionsDocument({ rowhouse }: Visit<"instance">) {
  const note = rowhouse.option("versionNote");
  const own: RowhouseVersion = { version: rowhouse.version, ...(note !== undefined && { note }) };
  return {
    node: {
      version: process.versions.node,
      full: `${process.version} (V8 ${process.versions.v8}, ${process.platform} ${process.arch})`,
    },
    rowhouse: own,
    sqlite: await sqliteVersions(rowhouse),
  };
}

interface RowhouseVersion {
  readonly version: string;
  readonly note?: string;
}

interface SqliteVersions {
  readonly version: string | null;
  readonly fts_versions: readonly string[];
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly compile_options: readonly string[];
}

/** The versions of the first SQLite database that can be read. */
async function sqliteVersions(rowhouse: Rowhouse): Promise<SqliteVersions> {
  const candidates = [...rowhouse.databases.values()].filter(
    ({ capabilities }) => capabilities.dialect === "sqlite",
  );
  for (const database of candidates) {
    const [version] = await firstColumn(database, "select sqlite_version()");
    if (version === undefined) continue;
    return {
      version,
      fts_versions: await fullTextVersions(database),
      extensions: await extensions(database),
      compile_options: await firstColumn(database, "select compile_options from pragma_compile_options"),
    };
  }
  return { version: null, fts_versions: [], extensions: {}, compile_options: [] };
}

async function fullTextVersions(database: Database): Promise<readonly string[]> {
  const modules = await firstColumn(database, "select name from pragma_module_list");
  return ["FTS5", "FTS4", "FTS3"].filter((name) => modules.includes(name.toLowerCase()));
}

async function extensions(database: Database): Promise<Readonly<Record<string, unknown>>> {
  const json = await firstColumn(database, "select json('{}')");
  const [spatialite] = await firstColumn(database, "select spatialite_version()");
  return {
    ...(json.length > 0 && { json1: null }),
    ...(spatialite !== undefined && { spatialite: { spatialite_version: spatialite } }),
  };
}

async function firstColumn(database: Database, sql: string): Promise<readonly string[]> {
  try {
    const { rows } = await database.read(sql);
    return rows.map(([value]) => String(value));
  } catch {
    // The function does not exist.
    return [];
  }
}
