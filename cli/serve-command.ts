import type { Command } from "rowhouse/plugin-api";
import type { Parsed } from "./arguments.js";
import { declareOptions } from "./command-line.js";
import { allServeOptions } from "./serve-options.js";

/** `rowhouse serve`, which is also the default command. */
export const serveCommand: Command = {
  command: "serve [files..]",
  describe: "Serve SQLite files (this is what happens without a command)",
  builder: (line) =>
    declareOptions(line, allServeOptions)
      .positional("files", { type: "string", array: true, describe: "SQLite files, or one directory" })
      .example("$0 data.db -p 8080", "Serve a file on port 8080")
      .example("$0 -i archive.db --cors", "A file that never changes, with CORS headers")
      .example("$0 data.db -m metadata.yaml --root", "With metadata, and a link that logs you in")
      .example("$0 data.db --setting sql_time_limit_ms 3500", "Give SQL more time")
      .example("$0 data.db -s databases.data.allow_sql false", "No SQL by visitors in this database")
      .example("$0 data.db --get /data.json", "Print one answer and end"),
  handler: async (parsed: Parsed) => {
    const { serve } = await import("./serve.js");
    await serve(parsed);
  },
};
