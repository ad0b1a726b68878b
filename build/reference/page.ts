import type { HookKind } from "rowhouse/plugin-api/kernel";
import { readExample, type Trial } from "./example.js";
import { formatted } from "./formatted.js";
import type { HookEntry } from "./hook-table.js";

const KINDS: Readonly<Record<HookKind, string>> = {
  notify: "the functions of all plugins run one after the other; results are ignored",
  first: "the functions run one after the other, until one returns neither `null` nor `undefined`",
  firstOfAll:
    "all functions run; the first result counts, and is the `value` that later functions get, else `null`",
  collect: "all results are joined into one list; a function returns one item or an array",
  transform: "each function gets `value` and may return another value",
  poll: "all functions are called, and each result is recorded with the name of its plugin",
};

/** The page `docs/hooks.md`, formatted as all of them are. */
export async function hooksPage(root: string, hooks: readonly HookEntry[]): Promise<string> {
  const owners = [...new Set(hooks.map(({ owner }) => owner))];
  const sections = owners.map((owner) => {
    const own = hooks.filter((hook) => hook.owner === owner);
    return `## ${headingOf(owner)}\n\n${own.map((hook) => hookSection(root, hook)).join("\n\n")}`;
  });
  const text = [introduction(), overview(hooks, owners), ...sections].join("\n\n");
  return formatted(root, "docs/hooks.md", text);
}

const headingOf = (owner: string | null): string => (owner === null ? "The kernel" : `The plugin ${owner}`);

const introduction = (): string => `# Hooks

All hooks, for authors of plugins. To write your first plugin, start with [plugins.md](plugins.md). \`npm run docs\` makes this page from the types and docstrings in [\`plugin-api/\`](../plugin-api). Each example is a complete plugin. The specs run it on the database of [library.sql](library.sql).

A hook function is called with \`(rowhouse, args)\`: the service object, and an object with the arguments in the list below. It may return a promise. The kind of the hook says what happens with the results:

${Object.entries(KINDS)
  .map(([kind, meaning]) => `- \`${kind}\`: ${meaning}`)
  .join("\n")}

Instead of a function, a plugin can give an object:

| Key                              | Effect                                                                                       |
| -------------------------------- | -------------------------------------------------------------------------------------------- |
| \`run\`                          | the function                                                                                 |
| \`order: "early"\`               | runs before the functions of all other plugins                                               |
| \`order: "late"\`                | runs after them                                                                              |
| \`order: "last"\`                | runs after those with \`late\`                                                               |
| \`only: { arguments: ["_map"] }\` | runs only for requests with one of these arguments (hooks with \`request\` or \`visit\`)       |
| \`only: { database: "library" }\` | runs only for pages of this database (hooks with \`visit\`)                                  |
| \`only: { actions: ["view-table"] }\` | runs only for checks of these permissions (hooks with \`action\`) |

Without \`order\`, installed plugins run before the bundled ones, each in the order in which they were loaded.

**Failures.** A function fails if it throws, takes longer than the setting \`hook_time_limit_ms\`, or returns an invalid result. The log names its plugin. Only promises have the time limit: a function that calculates blocks the whole server, so keep it short or use a worker thread. For most hooks, the request or the start then fails with an error that names the plugin. For the others, the request continues without the result.

**Affects.** What the results change: replies in any format (\`data\`), only HTML pages (\`html\`), decisions of permission checks (\`permissions\`), or no page of data (\`nothing\`). [Entity tags](plugin-reference.md#entity-tags-and-cached-replies) depend on it.`;

const overview = (hooks: readonly HookEntry[], owners: readonly (string | null)[]): string =>
  owners
    .map((owner) => {
      const links = hooks.filter((hook) => hook.owner === owner).map(({ name }) => `[${name}](#${name})`);
      return `**${headingOf(owner)}**: ${links.join(" · ")}`;
    })
    .join("\n\n");

function hookSection(root: string, hook: HookEntry): string {
  const { purpose, code, trials } = readExample(root, hook.name);
  const facts = [
    `- Kind: \`${hook.kind}\``,
    `- Arguments: ${argumentsOf(hook).join(", ") || "none"}`,
    ...(hook.answer === null ? [] : [`- Answer: \`${hook.answer}\``]),
    `- On failure: ${hook.skips ? "the request continues without the result" : "the caller fails with an error"}`,
    `- Affects: \`${hook.affects}\``,
    ...(hook.tappedBy.length === 0
      ? []
      : [`- Bundled plugins that tap it: ${hook.tappedBy.map((name) => `\`${name}\``).join(", ")}`]),
    `- Declared in [${hook.file.replace("plugin-api/", "")}](../${hook.file})`,
  ];
  return [
    `### ${hook.name}`,
    hook.doc,
    facts.join("\n"),
    purpose,
    `\`\`\`ts\n${code}\n\`\`\``,
    ...trials.map(trialText),
  ].join("\n\n");
}

function argumentsOf({ kind, args, answer }: HookEntry): readonly string[] {
  const value = kind === "transform" ? [{ name: "value", type: answer ?? "" }] : [];
  return [...value, ...args].map(({ name, type }) => `\`${name}: ${type}\``);
}

function trialText({ request, shows }: Trial): string {
  const seen = shows.map(shownText).join(", and ");
  return request === null ? `Then ${seen}.` : `\`${request}\` then ${seen}.`;
}

function shownText(line: string): string {
  const [, label = "", text = ""] = /^(\w+): (.*)$/.exec(line) ?? [];
  if (label === "Status") return `has status ${text}`;
  if (label === "Header") return `has the header \`${text}\``;
  return label === "Log" ? `logs \`${text}\`` : `shows \`${text}\``;
}
