import type { LoadedPlugin, Visit } from "rowhouse/plugin-api";

type Instance = Visit<"instance">;

/** The published settings in published order; Rowhouse's own come after them. */
const SETTING_ORDER: readonly string[] = [
  "default_page_size",
  "max_returned_rows",
  "max_insert_rows",
  "num_sql_threads",
  "sql_time_limit_ms",
  "default_facet_size",
  "facet_time_limit_ms",
  "facet_suggest_time_limit_ms",
  "allow_facet",
  "allow_download",
  "allow_signed_tokens",
  "max_signed_tokens_ttl",
  "suggest_facets",
  "default_cache_ttl",
  "cache_size_kb",
  "allow_csv_stream",
  "max_csv_mb",
  "truncate_cells_html",
  "force_https_urls",
  "template_debug",
  "trace_debug",
  "base_url",
];

/** Every setting and its value; quiet ones only when they were set. */
export function settingsDocument({ rowhouse }: Instance): Readonly<Record<string, unknown>> {
  const shown = [...rowhouse.settings].filter(([, setting]) => setting.quiet !== true || setting.given);
  const ordered = shown.toSorted(([left], [right]) => place(left) - place(right));
  return Object.fromEntries(ordered.map(([name, { value }]) => [name, value]));
}

const place = (setting: string): number => {
  const index = SETTING_ORDER.indexOf(setting);
  return index === -1 ? SETTING_ORDER.length : index;
};

/** Installed plugins by name, with `?all=` the bundled ones as well. */
export function pluginsDocument({ rowhouse, request }: Instance): readonly object[] {
  const all = (request.query.get("all") ?? "") !== "";
  return rowhouse.plugins
    .filter(({ bundled }) => all || !bundled)
    .map(describePlugin)
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

const describePlugin = ({ name, bundled, version, hooks, plugin }: LoadedPlugin) => ({
  name: bundled ? `rowhouse.${name}` : name,
  static: plugin.static !== undefined,
  templates: plugin.templates !== undefined,
  version,
  hooks: hooks.toSorted(),
});

/** The databases that the actor may view, since a path on the server is nobody else's business. */
export async function databasesDocument({ rowhouse, actor }: Instance): Promise<readonly object[]> {
  const databases = [...rowhouse.databases.values()].filter(({ internal }) => !internal);
  const answers = await rowhouse.visibilityMany(
    actor,
    databases.map(({ name }) => [
      ["view-database", name],
      ["view-instance", null],
    ]),
  );
  const visible = databases.filter((_database, index) => answers[index]?.visible === true);
  return Promise.all(
    visible.map(async (database) => {
      const { shownPath, sizeBytes, hash } = await database.describe();
      return {
        name: database.name,
        route: database.name,
        path: shownPath,
        size: sizeBytes,
        is_mutable: database.mutable,
        is_memory: database.memory,
        hash,
      };
    }),
  );
}

export const actorDocument = ({ actor }: Instance): object => ({ actor });
