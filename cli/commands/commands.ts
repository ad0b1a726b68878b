import type { Argv } from "yargs";
import { messageOf, type Command } from "rowhouse/plugin-api";
import type { Parsed } from "../arguments/arguments.js";
import { declareOptions } from "../arguments/command-line.js";
import { configOrigins } from "../configuration/config-origins.js";
import { consoleLog } from "../log/console-log.js";
import { coloured } from "../log/colour.js";
import { resolveChoices } from "../configuration/resolve.js";
import { allServeOptions, optionsNamed } from "../arguments/serve-options.js";

/** Declares the options and arguments of `serve`. */
const declareServe = (line: Argv) =>
  declareOptions(line, allServeOptions).positional("files", {
    type: "string",
    array: true,
    describe: "SQLite files, or one directory",
  });

/** `rowhouse serve`, which is also the default command. */
export const serveCommand: Command = {
  command: "serve [files..]",
  describe: "Serve SQLite files (this is what happens without a command)",
  builder: (line) =>
    declareServe(line)
      .example("$0 data.db -p 8080", "Serve a file on port 8080")
      .example("$0 -i archive.db --cors", "A file that never changes, with CORS headers")
      .example("$0 data.db -m metadata.yaml --root", "With metadata, and a link that logs you in")
      .example("$0 data.db --setting sql_time_limit_ms 3500", "Give SQL more time")
      .example("$0 data.db -s databases.data.allow_sql false", "No SQL by visitors in this database")
      .example("$0 data.db --get /data.json", "Print one answer and end"),
  handler: async (parsed: Parsed) => {
    const { serve } = await import("../serve/serve.js");
    await serve(parsed);
  },
};

/** `rowhouse dev`: `serve` for authors of plugins, templates, metadata or configuration. */
export const devCommand: Command = {
  command: "dev [files..]",
  describe:
    "Serve, start again at every change of plugins, templates, metadata or configuration, refresh browsers",
  builder: (line) =>
    declareServe(line).example(
      "$0 dev data.db --template-dir templates",
      "See each change of a template at once",
    ),
  handler: async (parsed: Parsed) => {
    const { serve } = await import("../serve/serve.js");
    const { endWithSupervisor, supervisedAddress } = await import("../serve/dev-restart.js");
    try {
      await serve({ ...parsed, reload: true, dev: true });
    } catch (error) {
      const address = supervisedAddress();
      if (address === null) throw error;
      endWithSupervisor();
      process.exitCode = 1;
      process.stderr.write(`${coloured("red", "Error:")} ${messageOf(error)}\n`);
      const { serveErrorPage } = await import("../serve/dev-error-page.js");
      await serveErrorPage(error, address);
    }
  },
};

/** `rowhouse inspect`: row counts and hashes for `serve --inspect-file`. */
export const inspectCommand: Command = {
  command: "inspect [files..]",
  describe: "Print row counts and hashes of files as JSON",
  builder: (line) =>
    declareOptions(line, optionsNamed("load-extension", "no-config", "config", "metadata"))
      .positional("files", {
        type: "string",
        array: true,
        describe: "SQLite files, or addresses of databases",
      })
      .option("inspect-file", {
        type: "string",
        nargs: 1,
        describe: "Write here instead of standard output [PATH]",
      })
      .option("advise", { type: "boolean", describe: "Print missing indexes as SQL instead" })
      .example("$0 inspect data.db --inspect-file counts.json", "Count once ...")
      .example("$0 serve -i data.db --inspect-file counts.json", "... and start without counting"),
  handler: async (parsed: Parsed) => {
    const { inspect } = await import("./inspect.js");
    await inspect(parsed);
  },
};

/** `rowhouse plugins`: lists the plugins that a server would load. */
export const pluginsCommand: Command = {
  command: "plugins",
  describe: "List plugins as JSON",
  builder: (line) =>
    declareOptions(line, optionsNamed("plugins-dir", "no-config", "config"))
      .option("all", { type: "boolean", describe: "The bundled ones too" })
      .option("requirements", {
        type: "boolean",
        describe: "Print the packages as name@version, one a line",
      }),
  handler: async (parsed: Parsed) => {
    const { listPlugins } = await import("./plugin-list.js");
    await listPlugins(parsed);
  },
};

/** `rowhouse config`: the configuration that `serve` would use with the same arguments. */
export const configCommand: Command = {
  command: "config [files..]",
  describe: "Print the configuration as JSON: each value and where it comes from",
  builder: (line) =>
    declareServe(line).example("$0 config data.db -p 8080", "What that would be served with"),
  handler: async (parsed: Parsed) => {
    const resolved = await resolveChoices(parsed, consoleLog);
    process.stdout.write(`${JSON.stringify(configOrigins(resolved.sources), null, 2)}\n`);
    const { requireUsableSettings } = await import("../configuration/kernel-options.js");
    await requireUsableSettings(resolved);
  },
};

/**
 * The option with which a completion script requests suggestions: `rowhouse --get-yargs-completions rowhouse se`.
 */
export const COMPLETION_REQUEST = "--get-yargs-completions";

/** `rowhouse completion`: prints a completion script for the current shell. */
export const completionCommand: Command = {
  command: "completion",
  describe: "Print a completion script for bash or zsh",
  builder: (line) => line.example("$0 completion >> ~/.bashrc", "Complete commands and options with TAB"),
  // yargs creates the script. The type of the handler's arguments does not include the instance.
  handler: async () => {
    const { default: yargs } = await import("yargs");
    yargs().scriptName("rowhouse").showCompletionScript();
  },
};
