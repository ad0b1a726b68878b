import type { Choices } from "./choices.js";
import type { Option } from "./options.js";
import {
  actor,
  existingDirectory,
  existingFile,
  immutableFile,
  extension,
  flag,
  hostName,
  list,
  oneOf,
  path,
  portNumber,
  staticMounts,
  text,
  workerCount,
} from "./readers.js";

/** An option whose value is one key of the choices. */
export type ChoiceOption = {
  readonly [Key in keyof Choices]: Option<Choices[Key]> & { readonly key: Key };
}[keyof Choices];

/** An option in the table below. Its long name is its key, its heading that of its group. */
type Entry = { readonly [Key in keyof Choices]: EntryFor<Key> }[keyof Choices];
type EntryFor<Key extends keyof Choices> = Omit<Option<Choices[Key]>, "name" | "heading"> & {
  readonly key: Key;
};

type FlagKey = { [Key in keyof Choices]: Choices[Key] extends boolean ? Key : never }[keyof Choices];

const flagFor = <Key extends FlagKey>(
  key: Key,
  help: string,
  more: Pick<Option, "short" | "commandLineOnly"> = {},
) => ({ ...more, key, help, form: "flag" as const, read: flag });

/** `pluginsDir` is written `--plugins-dir`. */
const longName = (key: string): string => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const group = (heading: string, entries: readonly Entry[]): readonly ChoiceOption[] =>
  entries.map((entry) => ({ ...entry, heading, name: longName(entry.key) }) as ChoiceOption);

const LOOK = "What it looks like:";
const SETTINGS = "Settings and configuration:";

/**
 * Options of `serve` in the order of its help. They are also keys of the configuration file, unless stated otherwise.
 */
export const serveOptions: readonly ChoiceOption[] = [
  ...group("Which data:", [
    {
      key: "immutable",
      short: "i",
      form: "values",
      value: "PATH",
      read: list(immutableFile),
      help: "File that does not change: opened immutable, hashed, cached",
    },
    flagFor("memory", "Add the in-memory database /_memory"),
    flagFor("crossdb", "Let SQL in /_memory join the first 10 files"),
    flagFor("create", "Make files that do not exist"),
    flagFor("nolock", "Read files that another program keeps locked"),
    {
      key: "internal",
      form: "value",
      value: "PATH",
      read: path,
      help: "Keep the internal database in this file",
    },
    {
      key: "inspectFile",
      form: "value",
      value: "PATH",
      read: existingFile,
      help: "Counts and hashes written by rowhouse inspect",
    },
    {
      key: "loadExtension",
      variable: "ROWHOUSE_LOAD_EXTENSION",
      form: "values",
      value: "PATH[:ENTRYPOINT]",
      read: list(extension),
      help: "SQLite extension for every connection",
    },
  ]),
  ...group("Where to serve:", [
    {
      key: "host",
      short: "h",
      form: "value",
      value: "TEXT",
      read: hostName,
      help: "Address to listen on: 127.0.0.1 unless given, 0.0.0.0 for all",
    },
    {
      key: "port",
      short: "p",
      form: "value",
      value: "INTEGER",
      read: portNumber,
      help: "Port, 8001 unless given; 0 picks a free one",
    },
    { key: "uds", form: "value", value: "PATH", read: path, help: "Unix socket to listen on instead" },
    {
      key: "sslKeyfile",
      variable: "ROWHOUSE_SSL_KEYFILE",
      form: "value",
      value: "PATH",
      read: existingFile,
      help: "Private key for https",
    },
    {
      key: "sslCertfile",
      variable: "ROWHOUSE_SSL_CERTFILE",
      form: "value",
      value: "PATH",
      read: existingFile,
      help: "Certificate for https",
    },
    {
      key: "workers",
      form: "value",
      value: "N|auto",
      read: workerCount,
      help: "Processes that serve: 1 unless given, auto for one per core",
    },
    {
      key: "pidFile",
      form: "value",
      value: "PATH",
      read: path,
      help: "Write the process id here, for rowhouse reload",
    },
    flagFor("cors", "Let scripts of other sites read the data"),
    flagFor("public", "Limit what each client can use: for servers on the internet"),
    flagFor("open", "Open a browser", { short: "o" }),
  ]),
  ...group(LOOK, [
    {
      key: "templateDir",
      form: "value",
      value: "DIRECTORY",
      read: existingDirectory,
      help: "Your own templates",
    },
    {
      key: "static",
      form: "values",
      value: "MOUNT:DIRECTORY",
      read: staticMounts,
      help: "Serve files at /MOUNT/...",
    },
  ]),
  ...group("Who may do what:", [
    {
      key: "secret",
      variable: "ROWHOUSE_SECRET",
      form: "values",
      value: "TEXT",
      read: list(text),
      help: "Signs cookies and tokens; further ones are still accepted",
    },
    flagFor("root", "Print a link that logs you in as root, once"),
    flagFor("defaultDeny", "Refuse whatever is not allowed explicitly"),
  ]),
  ...group("What it reports:", [
    {
      key: "logFormat",
      form: "value",
      value: "FORMAT",
      read: oneOf(["text", "json"]),
      help: "text, or json: one object a line",
    },
    {
      key: "logLevel",
      form: "value",
      value: "LEVEL",
      read: oneOf(["info", "warn", "error"]),
      help: "info with one line a request, warn, or error",
    },
    flagFor("quiet", "Log only warnings and errors"),
    {
      key: "metricsPort",
      form: "value",
      value: "INTEGER",
      read: portNumber,
      help: "Serve metrics for Prometheus on this port, and only there",
    },
  ]),
  ...group("Ask once instead of serving:", [
    {
      key: "get",
      commandLineOnly: true,
      form: "value",
      value: "PATH",
      read: text,
      help: "Answer this path on standard output",
    },
    {
      key: "token",
      commandLineOnly: true,
      form: "value",
      value: "TEXT",
      read: text,
      help: "Ask with this API token",
    },
    {
      key: "actor",
      commandLineOnly: true,
      form: "value",
      value: "JSON",
      read: actor,
      help: "Ask as this actor",
    },
    flagFor("headers", "Print status and headers too", { commandLineOnly: true }),
  ]),
  ...group(SETTINGS, [
    flagFor("noConfig", "Look for no configuration file", { commandLineOnly: true }),
    flagFor("helpSettings", "List the settings", { commandLineOnly: true }),
    {
      key: "pluginsDir",
      form: "value",
      value: "DIRECTORY",
      read: existingDirectory,
      help: "Load the plugins in this folder",
    },
    { key: "versionNote", form: "value", value: "TEXT", read: text, help: "Shown at /-/versions" },
  ]),
  ...group("Developing:", [
    flagFor("reload", "Restart when plugins, templates, metadata or configuration change"),
    flagFor("pdb", "For old scripts; to debug, run node --inspect", { commandLineOnly: true }),
  ]),
];

/** Sets several choices, depending on the file. */
export const metadataOption: Option = {
  name: "metadata",
  short: "m",
  form: "value",
  value: "FILE",
  heading: LOOK,
  read: existingFile,
  help: "Titles, descriptions, permissions, queries: JSON or YAML",
};

/** `name value` pairs. Dotted names are paths in the configuration. */
const settingOption: Option = {
  name: "setting",
  short: "s",
  form: "pairs",
  value: "NAME VALUE",
  heading: SETTINGS,
  read: text,
  help: "A setting, or with dots a place in the configuration",
};

/** A configuration file; in old scripts also `name:value`. */
const configOption: Option = {
  name: "config",
  short: "c",
  form: "values",
  value: "FILE",
  heading: SETTINGS,
  commandLineOnly: true,
  read: text,
  help: "Configuration file to use instead of searching for one",
};

export const allServeOptions: readonly Option[] = [
  ...serveOptions,
  metadataOption,
  settingOption,
  configOption,
];

/** Options of `serve` that another command has too. */
export const optionsNamed = (...names: readonly string[]): readonly Option[] =>
  allServeOptions.filter(({ name }) => names.includes(name));
