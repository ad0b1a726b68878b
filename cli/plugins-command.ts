import type { Command } from "rowhouse/plugin-api";
import type { Parsed } from "./arguments.js";
import { declareOptions } from "./command-line.js";
import { configOption, serveOptions } from "./serve-options.js";

const shared = [
  ...serveOptions.filter(({ name }) => ["plugins-dir", "no-config"].includes(name)),
  configOption,
];

/** `rowhouse plugins`: lists the plugins that a server would load. */
export const pluginsCommand: Command = {
  command: "plugins",
  describe: "List plugins as JSON",
  builder: (line) =>
    declareOptions(line, shared)
      .option("all", { type: "boolean", describe: "The bundled ones too" })
      .option("requirements", { type: "boolean", describe: "Print name@version, one a line" }),
  handler: async (parsed: Parsed) => {
    const { listPlugins } = await import("./plugin-list.js");
    await listPlugins(parsed);
  },
};
