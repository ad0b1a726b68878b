import { bundledPlugins } from "rowhouse/plugins";
import { kernelWith } from "../../harness/bare-kernel.js";
import { openRaw } from "../../harness/raw-sqlite.js";

/** Runs `rowhouse copy` in this process. Returns what it prints. */
export async function copy(from: string, to: string, options: object = {}): Promise<string> {
  const kernel = await kernelWith(bundledPlugins);
  const commands = await kernel.hooks.register_commands.promise([], kernel, {});
  const command = commands.find((one) => one.command.startsWith("copy "));
  if (command === undefined || !("handler" in command)) throw new Error("There is no command copy");
  const printed: string[] = [];
  const { write } = process.stdout;
  process.stdout.write = ((text: string) => printed.push(text) > 0) as typeof write;
  try {
    await command.handler({ from, to, ...options } as never);
  } finally {
    process.stdout.write = write;
  }
  return printed.join("");
}

/** The rows of a query on a SQLite file. */
export const rowsOf = async (file: string, sql: string): Promise<readonly unknown[]> => {
  const raw = await openRaw(file);
  try {
    return await raw.all(sql);
  } finally {
    await raw.close();
  }
};
