import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bundledPlugins } from "rowhouse/plugins";
import { formatted } from "./formatted.js";
import { replaced, table } from "./generated-table.js";

/** `docs/architecture.md` with the bundled plugins in firing order; all else stays as it is. */
export async function architecturePage(root: string): Promise<string> {
  const file = join(root, "docs/architecture.md");
  const rows = bundledPlugins.map(({ name }) => [
    `[\`${name}\`](../plugins/${name})`,
    firstSentence(docstring(root, name)),
  ]);
  const text = replaced(
    readFileSync(file, "utf8"),
    "bundled plugins",
    table(["Plugin", "What it does"], rows),
  );
  return formatted(root, file, text);
}

/** The comment above the definition of a plugin, on one line. @throws Error without a comment */
function docstring(root: string, name: string): string {
  const source = readFileSync(join(root, `plugins/${name}/index.ts`), "utf8");
  const [, comment] = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*export default definePlugin/.exec(source) ?? [];
  if (comment === undefined) throw new Error(`The plugin ${name} has no docstring`);
  return comment.replace(/\s*\n\s*\* ?/g, " ").trim();
}

const firstSentence = (text: string): string => /^.*?\.(?= [A-Z]|$)/.exec(text)?.[0] ?? text;
