import { permissionChain, visibleItems, type Database, type Rowhouse, type Visit } from "rowhouse/plugin-api";
import { isOutOfService } from "rowhouse/plugin-api/errors";
import type { DatabaseDescription } from "rowhouse/plugin-api/engine";
import type { LoadedPlugin } from "rowhouse/plugin-api/kernel";

type Instance = Visit<"instance">;

/** All settings and their values; unlisted ones only if they were set. */
export function settingsDocument({ rowhouse }: Instance): Readonly<Record<string, unknown>> {
  const shown = [...rowhouse.settings].filter(([, setting]) => setting.unlisted !== true || setting.given);
  return Object.fromEntries(shown.map(([name, { value }]) => [name, value]));
}

/** Installed plugins by name, with `?all=` the bundled ones as well, whose names begin with `rowhouse.` */
export function pluginsDocument({ rowhouse, request }: Instance): readonly object[] {
  const all = (request.query.get("all") ?? "") !== "";
  const isInstalled = installedTest(rowhouse);
  return rowhouse.plugins
    .filter((plugin) => all || isInstalled(plugin))
    .map((plugin) => describePlugin(plugin, isInstalled(plugin) ? plugin.name : `rowhouse.${plugin.name}`))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

/** Whether a plugin was added to the bundled ones. */
export function installedTest(rowhouse: Rowhouse): (plugin: LoadedPlugin) => boolean {
  const installed = rowhouse.option("installedPlugins");
  return ({ name }) => installed?.includes(name) ?? true;
}

const describePlugin = ({ version, hooks, plugin }: LoadedPlugin, name: string) => ({
  name,
  static: plugin.static !== undefined,
  templates: plugin.templates !== undefined,
  version,
  hooks: hooks.toSorted(),
});

/** The databases that the actor may view. */
export async function databasesDocument({ rowhouse, actor }: Instance) {
  const databases = [...rowhouse.databases.values()].filter(({ internal }) => !internal);
  const visible = await visibleItems(rowhouse.permissions, actor, databases, ({ name }) =>
    permissionChain({ database: name }),
  );
  return Promise.all(
    visible.map(async (database) => {
      const { shownPath, sizeBytes, hash } = await factsOf(database);
      return {
        name: database.name,
        route: database.name,
        path: shownPath ?? null,
        size: sizeBytes ?? null,
        is_mutable: database.mutable,
        is_memory: database.memory,
        hash: hash ?? null,
      };
    }),
  );
}

/** The facts of a database; empty if its file cannot be read at the moment. */
async function factsOf(database: Database): Promise<Partial<DatabaseDescription>> {
  try {
    return await database.describe();
  } catch (error) {
    if (isOutOfService(error)) return {};
    throw error;
  }
}

export const actorDocument = ({ actor }: Instance): object => ({ actor });

const DEFAULT_POOL_SIZE = 4;

interface Thread {
  readonly name: string;
  readonly ident: number;
  readonly daemon: boolean;
}

interface ThreadsDocument {
  readonly num_threads: number;
  readonly threads: readonly Thread[];
  readonly num_tasks?: number;
  readonly tasks?: readonly string[];
}

/** The threads of this process and the kinds of its active resources, without paths and arguments. */
export function threadsDocument({ rowhouse }: Visit<"instance">): ThreadsDocument {
  if (rowhouse.settings.get("num_sql_threads")?.value === 0) return { num_threads: 0, threads: [] };
  const poolSize = Number(process.env["UV_THREADPOOL_SIZE"] ?? DEFAULT_POOL_SIZE);
  const threads: Thread[] = [
    { name: "main", ident: 0, daemon: false },
    ...Array.from({ length: poolSize }, (_item, index) => ({
      name: `worker-${index + 1}`,
      ident: index + 1,
      daemon: true,
    })),
  ];
  const tasks = process.getActiveResourcesInfo();
  return { num_threads: threads.length, threads, num_tasks: tasks.length, tasks };
}
