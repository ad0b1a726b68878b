import { messageOf, type Command } from "rowhouse/plugin-api";
import type { Parsed } from "./arguments.js";
import { declareOptions } from "./command-line.js";
import { paint } from "./paint.js";
import { allServeOptions } from "./serve-options.js";

/** `rowhouse dev`: `serve` for authors of plugins, templates, metadata or configuration. */
export const devCommand: Command = {
  command: "dev [files..]",
  describe:
    "Serve, start again at every change of plugins, templates, metadata or configuration, refresh browsers",
  builder: (line) =>
    declareOptions(line, allServeOptions)
      .positional("files", { type: "string", array: true, describe: "SQLite files, or one directory" })
      .example("$0 dev data.db --template-dir templates", "See each change of a template at once"),
  handler: async (parsed: Parsed) => {
    const { serve } = await import("./serve.js");
    const { supervisedAddress } = await import("./reload.js");
    try {
      await serve({ ...parsed, reload: true, dev: true });
    } catch (error) {
      const address = supervisedAddress();
      if (address === null) throw error;
      process.exitCode = 1;
      process.stderr.write(`${paint("red", "Error:")} ${messageOf(error)}\n`);
      const { serveErrorPage } = await import("./dev-error-page.js");
      await serveErrorPage(error, address);
    }
  },
};
