import { allowClosedPipe } from "./closed-pipe.js";
import { version } from "./version.js";

const VERSION_OPTIONS: ReadonlySet<string> = new Set(["--version", "-V"]);

/**
 * Runs the command line and sets the exit code: 0 success, 1 an error, 2 wrong usage.
 *
 * @param words the arguments after `rowhouse`
 */
export async function main(words: readonly string[]): Promise<void> {
  allowClosedPipe();
  // Needs neither the parser of options nor the plugins.
  const [first = ""] = words;
  if (words.length === 1 && VERSION_OPTIONS.has(first)) {
    process.stdout.write(`rowhouse, version ${version}\n`);
    return;
  }
  const { runCommand } = await import("./commands/run-command.js");
  await runCommand(words);
}
