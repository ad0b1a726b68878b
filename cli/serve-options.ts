import type { Choices } from "./choices.js";
import type { Option } from "./options.js";
import {
  actor,
  existingDirectory,
  existingFile,
  existingPath,
  extension,
  flag,
  list,
  path,
  portNumber,
  staticMounts,
  text,
} from "./readers.js";

/** An option whose value becomes one key of the choices. */
export type ChoiceOption = {
  readonly [Key in keyof Choices]: Option<Choices[Key]> & { readonly key: Key };
}[keyof Choices];

const files = "Which data:";
const server = "Where to serve:";
const look = "What it looks like:";
const access = "Who may do what:";
const once = "Ask once instead of serving:";
const settings = "Settings and configuration:";
const developing = "Developing:";

/** Options of `serve` in the order of its help; keys of the configuration file too, unless said otherwise. */
export const serveOptions: readonly ChoiceOption[] = [
  {
    key: "immutable",
    name: "immutable",
    short: "i",
    form: "values",
    value: "PATH",
    heading: files,
    read: list(existingPath),
    help: "File that nobody changes: opened immutable, hashed, cached",
  },
  {
    key: "memory",
    name: "memory",
    form: "flag",
    heading: files,
    read: flag,
    help: "Add the in-memory database /_memory",
  },
  {
    key: "crossdb",
    name: "crossdb",
    form: "flag",
    heading: files,
    read: flag,
    help: "Let SQL in /_memory join the first 10 files",
  },
  {
    key: "create",
    name: "create",
    form: "flag",
    heading: files,
    read: flag,
    help: "Make files that do not exist",
  },
  {
    key: "nolock",
    name: "nolock",
    form: "flag",
    heading: files,
    read: flag,
    help: "Read files that another program keeps locked",
  },
  {
    key: "internal",
    name: "internal",
    form: "value",
    value: "PATH",
    heading: files,
    read: path,
    help: "Keep the internal database in this file",
  },
  {
    key: "inspectFile",
    name: "inspect-file",
    form: "value",
    value: "PATH",
    heading: files,
    read: existingFile,
    help: "Counts and hashes written by rowhouse inspect",
  },
  {
    key: "loadExtension",
    name: "load-extension",
    form: "values",
    value: "PATH[:ENTRYPOINT]",
    heading: files,
    read: list(extension),
    help: "SQLite extension for every connection",
  },

  {
    key: "host",
    name: "host",
    short: "h",
    form: "value",
    value: "TEXT",
    heading: server,
    read: text,
    help: "Address to listen on: 127.0.0.1 unless given, 0.0.0.0 for all",
  },
  {
    key: "port",
    name: "port",
    short: "p",
    form: "value",
    value: "INTEGER",
    heading: server,
    read: portNumber,
    help: "Port, 8001 unless given; 0 picks a free one",
  },
  {
    key: "uds",
    name: "uds",
    form: "value",
    value: "PATH",
    heading: server,
    read: path,
    help: "Unix socket to listen on instead",
  },
  {
    key: "sslKeyfile",
    name: "ssl-keyfile",
    form: "value",
    value: "PATH",
    heading: server,
    read: existingFile,
    help: "Private key for https",
  },
  {
    key: "sslCertfile",
    name: "ssl-certfile",
    form: "value",
    value: "PATH",
    heading: server,
    read: existingFile,
    help: "Certificate for https",
  },
  {
    key: "cors",
    name: "cors",
    form: "flag",
    heading: server,
    read: flag,
    help: "Let scripts of other sites read the data",
  },
  {
    key: "open",
    name: "open",
    short: "o",
    form: "flag",
    heading: server,
    read: flag,
    help: "Open a browser",
  },

  {
    key: "templateDir",
    name: "template-dir",
    form: "value",
    value: "DIRECTORY",
    heading: look,
    read: existingDirectory,
    help: "Your own templates",
  },
  {
    key: "static",
    name: "static",
    form: "values",
    value: "MOUNT:DIRECTORY",
    heading: look,
    read: staticMounts,
    help: "Serve files at /MOUNT/...",
  },

  {
    key: "secret",
    name: "secret",
    form: "value",
    value: "TEXT",
    heading: access,
    read: list(text),
    help: "Signs cookies and tokens; ROWHOUSE_SECRET, else random",
  },
  {
    key: "root",
    name: "root",
    form: "flag",
    heading: access,
    read: flag,
    help: "Print a link that logs you in as root, once",
  },
  {
    key: "defaultDeny",
    name: "default-deny",
    form: "flag",
    heading: access,
    read: flag,
    help: "Refuse whatever is not allowed explicitly",
  },

  {
    key: "get",
    name: "get",
    form: "value",
    value: "PATH",
    heading: once,
    commandLineOnly: true,
    read: text,
    help: "Answer this path on standard output",
  },
  {
    key: "token",
    name: "token",
    form: "value",
    value: "TEXT",
    heading: once,
    commandLineOnly: true,
    read: text,
    help: "Ask with this API token",
  },
  {
    key: "actor",
    name: "actor",
    form: "value",
    value: "JSON",
    heading: once,
    commandLineOnly: true,
    read: actor,
    help: "Ask as this actor",
  },
  {
    key: "headers",
    name: "headers",
    form: "flag",
    heading: once,
    commandLineOnly: true,
    read: flag,
    help: "Print status and headers too",
  },

  {
    key: "noConfig",
    name: "no-config",
    form: "flag",
    heading: settings,
    commandLineOnly: true,
    read: flag,
    help: "Look for no configuration file",
  },
  {
    key: "helpSettings",
    name: "help-settings",
    form: "flag",
    heading: settings,
    commandLineOnly: true,
    read: flag,
    help: "List the settings",
  },
  {
    key: "pluginsDir",
    name: "plugins-dir",
    form: "value",
    value: "DIRECTORY",
    heading: settings,
    read: existingDirectory,
    help: "Load the plugins in this folder",
  },
  {
    key: "versionNote",
    name: "version-note",
    form: "value",
    value: "TEXT",
    heading: settings,
    read: text,
    help: "Shown at /-/versions",
  },

  {
    key: "reload",
    name: "reload",
    form: "flag",
    heading: developing,
    read: flag,
    help: "Restart when plugins, templates, metadata or configuration change",
  },
  {
    key: "pdb",
    name: "pdb",
    form: "flag",
    heading: developing,
    commandLineOnly: true,
    read: flag,
    help: "For old scripts; to debug, run node --inspect",
  },
];

/** Stands for several choices at once, depending on the file. */
export const metadataOption: Option = {
  name: "metadata",
  short: "m",
  form: "value",
  value: "FILE",
  heading: look,
  read: existingFile,
  help: "Titles, descriptions, permissions, queries: JSON or YAML",
};

/** `name value` pairs; dotted names reach into the configuration. */
export const settingOption: Option = {
  name: "setting",
  short: "s",
  form: "pairs",
  value: "NAME VALUE",
  heading: settings,
  read: text,
  help: "A setting, or with dots a place in the configuration",
};

/** A configuration file; in old scripts also `name:value`. */
export const configOption: Option = {
  name: "config",
  short: "c",
  form: "values",
  value: "FILE",
  heading: settings,
  commandLineOnly: true,
  read: text,
  help: "Configuration file to use instead of searching for one",
};

/** Every option of `serve`. */
export const allServeOptions: readonly Option[] = [
  ...serveOptions,
  metadataOption,
  settingOption,
  configOption,
];
