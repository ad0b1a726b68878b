import { existsSync } from "node:fs";
import type { Argv } from "yargs";
import { StartupError, type Command, type Rowhouse } from "rowhouse/plugin-api";
import { withRegistry } from "./open.js";
import type { TokenRegistry } from "./registry.js";

/** `rowhouse tokens` lists the tokens of the registry; `rowhouse revoke-token` revokes one. */
export const registryCommands = (rowhouse: Rowhouse): readonly Command[] => [
  {
    command: "tokens",
    describe: "List the API tokens known to an --internal file, as JSON",
    handler: async () => {
      const tokens = await registered(rowhouse, async (registry) => registry.list(null));
      process.stdout.write(`${JSON.stringify(tokens, null, 2)}\n`);
    },
  },
  {
    command: "revoke-token <id>",
    describe: "Revoke the API token with this id in an --internal file",
    builder: (yargs: Argv<object>) =>
      yargs.positional("id", { type: "string", describe: "As rowhouse tokens lists it" }),
    handler: async ({ id }: { readonly id: string }) => {
      const revoked = await registered(rowhouse, async (registry) => ({
        token: await registry.revoke(id, null),
      }));
      if (revoked.token === null) throw new StartupError(`No token in force has the id ${id}`);
    },
  },
];

async function registered<T>(rowhouse: Rowhouse, use: (registry: TokenRegistry) => Promise<T>): Promise<T> {
  const file = rowhouse.option("internal");
  if (file !== undefined && !existsSync(file))
    throw new StartupError(`Invalid value for '--internal': Path '${file}' does not exist.`, 2);
  const result = await withRegistry(rowhouse, use);
  if (result === null) throw new StartupError("Missing option '--internal'.", 2);
  return result;
}
