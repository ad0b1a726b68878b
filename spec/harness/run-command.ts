import { bundledPlugins } from "rowhouse/plugins";
import { kernelWith } from "./bare-kernel.js";

/** Runs a command of a bundled plugin in this process. Returns what it prints. */
export async function printedBy(name: string, args: object): Promise<string> {
  const kernel = await kernelWith(bundledPlugins);
  const commands = await kernel.hooks.register_commands.promise([], kernel, {});
  const command = commands.find((one) => one.command.startsWith(`${name} `));
  if (command === undefined || !("handler" in command)) throw new Error(`There is no command ${name}`);
  const printed: string[] = [];
  const { write } = process.stdout;
  process.stdout.write = ((text: string) => printed.push(text) > 0) as typeof write;
  try {
    await command.handler(args as never);
  } finally {
    process.stdout.write = write;
  }
  return printed.join("");
}
