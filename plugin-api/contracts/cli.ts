import type { Collect } from "../hooks.js";
import type { CommandModule } from "yargs";

/** A command of `rowhouse`, in yargs' own form. */
export type Command = CommandModule<object, never>;

declare module "../hooks.js" {
  interface HookTable {
    /** When the command line is built, before any database is opened. */
    register_commands: Collect<Readonly<Record<never, never>>, Command>;
  }
}
