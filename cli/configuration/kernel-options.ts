import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { declaredSettings, type KernelOptions } from "rowhouse";
import {
  StartupError,
  isObject,
  type Log,
  type MetadataBlock,
  type Plugin,
  type Setting,
  type SettingValue,
} from "rowhouse/plugin-api";
import type { InspectedDatabase } from "rowhouse/plugin-api/contracts";
import type { Options } from "rowhouse/plugin-api/kernel";
import type { NamedPath } from "../arguments/readers.js";
import type { PartialChoices } from "../arguments/choices.js";
import { databaseLocations } from "./databases.js";
import { extensionFiles } from "./extensions.js";
import { findPlugins, type FoundPlugins, type MistakenName } from "../plugins/find-plugins.js";
import { readMetadata } from "./metadata-file.js";
import { joinLayers } from "./metadata-layers.js";
import { readJsonFile, shownPath } from "./read-file.js";
import type { Resolved, Source } from "./resolve.js";
import { givenSecrets, secretProblem, signingSecrets } from "./secret.js";
import { checkSettings } from "./settings.js";
import { hookTrace, isTracing } from "./trace.js";
import { version } from "../version.js";

/** The bundled plugins and the chosen ones. @throws StartupError */
export async function choosePlugins({ choices, project }: Resolved): Promise<FoundPlugins> {
  const { bundledPlugins } = await import("rowhouse/plugins");
  return findPlugins(bundledPlugins, choices, project);
}

/** @throws StartupError for a setting that `serve` would refuse */
export async function requireUsableSettings(resolved: Resolved): Promise<void> {
  const { settings = {} } = resolved.choices;
  // Plugins declare settings. Without settings they need not be loaded.
  if (Object.keys(settings).length === 0) return;
  const { plugins, switchedOff } = await choosePlugins(resolved);
  checkSettings(settings, { declared: declaredSettings(plugins.map(({ plugin }) => plugin)), switchedOff });
}

const advice = ({ near }: MistakenName): string => (near === null ? "" : `, did you mean ${near}?`);

/** The options of the kernel for `serve`. @throws StartupError for choices that cannot be used */
export async function serverOptions(
  resolved: Resolved,
  found: FoundPlugins,
  log: CommandLog,
): Promise<KernelOptions> {
  const { choices } = resolved;
  for (const one of found.mistaken)
    log.warn(`The configuration switches off the plugin ${one.name}, which is not there${advice(one)}`);
  for (const one of found.unused)
    log.warn(`The configuration of the plugin ${one.name} has no effect: it is not loaded${advice(one)}`);
  const metadata = await metadataOf(choices);
  const inspect = readInspectFile(choices.inspectFile);
  const common = commandOptions(resolved, found, log);
  return {
    ...common,
    databases: databaseLocations(choices, inspect, log),
    options: {
      ...common.options,
      ...startOptions(choices, metadata, inspect),
      settingOrigins: settingOrigins(common.settings ?? {}, resolved.sources),
      switchedOffPlugins: found.switchedOff.map(({ name }) => name),
    },
  };
}

/** The options of the kernel for commands without databases. @throws StartupError */
export function commandOptions(
  { choices }: Pick<Resolved, "choices">,
  found: Pick<FoundPlugins, "plugins" | "switchedOff" | "files" | "pluginConfig">,
  log: CommandLog,
): KernelOptions {
  const plugins: Plugin[] = found.plugins.map(({ plugin }) => plugin);
  const declared = declaredSettings(plugins);
  return {
    plugins: isTracing() ? [hookTrace(log), ...found.plugins] : found.plugins,
    switchedOff: found.switchedOff,
    settings: {
      ...(choices.public === true && publicSettings(declared)),
      ...checkSettings(choices.settings ?? {}, { declared, switchedOff: found.switchedOff }),
      ...(choices.metricsPort !== undefined && { metrics_port: choices.metricsPort }),
    },
    secrets: signingSecrets(choices.secret),
    options: {
      commandLine: {
        secretGiven: givenSecrets(choices.secret).length > 0,
        secretProblem: secretProblem(choices.secret),
        readMetadata: async (path): Promise<MetadataBlock> => {
          const metadata = path === undefined ? choices.metadata : { path };
          const layer = await metadataOf({ ...choices, ...(metadata && { metadata }) });
          return isObject(layer?.document) ? layer.document : {};
        },
        configuredFiles: [...pathsOf(choices.files), ...pathsOf(choices.immutable)],
        immutableFiles: pathsOf(choices.immutable),
      },
      ...(choices.internal !== undefined && { internal: choices.internal }),
      installedPlugins: [...found.files.keys()],
      pluginConfig: found.pluginConfig,
      secretSources: {
        env: (name) => concealed(process.env[name] ?? null, log),
        file: (path) => concealed(readFileSync(path, "utf8"), log),
      },
    },
    log,
    version,
  };
}

/** A log that may leave out secrets which are given to it. */
export interface CommandLog extends Log {
  conceal?(secret: string): void;
}

function concealed<Secret extends string | null>(secret: Secret, log: CommandLog): Secret {
  if (secret !== null) log.conceal?.(secret.trim());
  return secret;
}

const pathsOf = (files: readonly NamedPath[] = []): readonly string[] =>
  files.filter(({ uri }) => uri === undefined).map(({ path }) => path);

/** The metadata file with the parts of the configuration merged over it. */
export async function metadataOf(choices: PartialChoices): Promise<Options["metadata"] | null> {
  const chosen = choices.metadata;
  const base = chosen === undefined ? [] : ["path" in chosen ? await readMetadata(chosen.path) : chosen];
  return joinLayers([...base, ...(choices.layers ?? [])]);
}

function startOptions(
  choices: PartialChoices,
  metadata: Options["metadata"] | null,
  inspect: Inspected,
): Partial<Options> {
  const { cors, crossdb, defaultDeny, internal, loadExtension, reload, root, templateDir, versionNote } =
    choices;
  const wanted = {
    cors,
    crossdb,
    defaultDeny,
    internal,
    loadExtension: loadExtension && extensionFiles(loadExtension),
    reload,
    root,
    templateDir,
    versionNote,
  };
  return {
    ...withoutUndefined(wanted),
    ...(metadata !== null && { metadata }),
    ...(Object.keys(inspect).length > 0 && { inspect }),
    ...(choices.static !== undefined && { staticMounts: choices.static }),
  };
}

type Stated<Object> = { [Key in keyof Object]?: Exclude<Object[Key], undefined> };

const withoutUndefined = <Object extends object>(object: Object): Stated<Object> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Stated<Object>;

export type Inspected = Readonly<Record<string, InspectedDatabase>>;

/**
 * Reads the output of `rowhouse inspect`: hash and row counts by database name.
 *
 * @throws StartupError for other files
 */
function readInspectFile(path: string | undefined): Inspected {
  if (path === undefined) return {};
  const data = readJsonFile(path);
  if (isObject(data) && Object.values(data).every(isInspected)) return data as Inspected;
  throw new StartupError(`Could not read ${shownPath(path)}: it is not the output of rowhouse inspect`);
}

const isInspected = (value: unknown): boolean => isObject(value) && isObject(value["tables"]);

const PUBLIC_LIMITS: Readonly<Record<string, SettingValue>> = {
  max_requests: 600,
  max_requests_at_once: 20,
  max_sql_at_once: 2,
  max_sql_seconds: 60,
  header_time_limit_ms: 10_000,
  body_idle_limit_ms: 10_000,
};

/** The settings of `--public`, which all others override. Settings of plugins that are switched off are left out. */
function publicSettings(declared: ReadonlyMap<string, Setting>): Readonly<Record<string, SettingValue>> {
  const isUsable = (name: string): boolean =>
    // Without the plugin that measures SQL, the server would not start.
    declared.has(name) && (name !== "max_sql_seconds" || declared.has("sql_timing"));
  return Object.fromEntries(Object.entries(PUBLIC_LIMITS).filter(([name]) => isUsable(name)));
}

/**
 * Where each given setting was set, for the page `/-/settings`. Files are named without their folder, which clients
 * must not see.
 *
 * @param sources weakest first
 */
function settingOrigins(
  given: Readonly<Record<string, SettingValue>>,
  sources: readonly Source[],
): Readonly<Record<string, string>> {
  const origins = new Map(Object.keys(given).map((name) => [name, "--public"]));
  for (const { name: source, choices } of sources) {
    const from = source.startsWith("the directory ") ? "settings.json" : basename(source);
    for (const name of Object.keys(choices.settings ?? {})) origins.set(name, from);
    if (choices.metricsPort !== undefined) origins.set("metrics_port", from);
  }
  return Object.fromEntries(origins);
}
