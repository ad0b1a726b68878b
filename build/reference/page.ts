import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import type { HookKind } from "rowhouse/plugin-api/kernel";
import { readExample, type Trial } from "./example.js";
import type { HookEntry } from "./hook-table.js";

const KINDS: Readonly<Record<HookKind, string>> = {
  notify: "everybody is told, one after the other; nobody answers",
  first: "the first answer that is neither `null` nor `undefined` settles it",
  collect: "all answers in one list; an answer is one item or an array of them",
  transform: "each plugin gets `value` and may return what takes its place",
  poll: "every plugin is called, and every answer counts",
};

/** The page `docs/hooks.md`, formatted as all of them are. */
export async function hooksPage(root: string, hooks: readonly HookEntry[]): Promise<string> {
  const owners = [...new Set(hooks.map(({ owner }) => owner))];
  const sections = owners.map((owner) => {
    const own = hooks.filter((hook) => hook.owner === owner);
    return `## ${headingOf(owner)}\n\n${own.map((hook) => hookSection(root, hook)).join("\n\n")}`;
  });
  const file = join(root, "docs/hooks.md");
  const text = [introduction(), overview(hooks, owners), ...sections].join("\n\n");
  return format(text, { ...(await resolveConfig(file)), filepath: file });
}

const headingOf = (owner: string | null): string => (owner === null ? "The kernel" : `The plugin ${owner}`);

const introduction = (): string => `# Hooks

Every hook, made from the types and docstrings in [\`plugin-api/\`](../plugin-api) by \`npm run docs\`. Each has an example: a whole plugin, which the specs run on the database of [library.sql](library.sql). [plugins.md](plugins.md) tells how plugins are written.

A hook function is called with \`(rowhouse, args)\`: the service object and one object that holds the arguments listed here. It may return a promise. What its answer means depends on the kind:

${Object.entries(KINDS)
  .map(([kind, meaning]) => `- \`${kind}\`: ${meaning}`)
  .join("\n")}

**Failing.** A plugin that throws, takes longer than the setting \`hook_time_limit_ms\` or answers something that is no answer is named in the log. What it can be spared for goes on without it; what it decides is refused, with an error that names it too.

**Order.** Installed plugins come before the bundled ones, each in the order in which they were loaded. \`{ order: "early", run }\` in place of the function runs before all others, \`{ order: "late", run }\` after them, and \`{ order: "last", run }\` after those.

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
    `- A plugin that fails: ${hook.skips ? "is logged and passed over" : "fails what it was asked for"}`,
    `- Affects: \`${hook.affects}\``,
    ...(hook.tappedBy.length === 0
      ? []
      : [`- Bundled plugins that take part: ${hook.tappedBy.map((name) => `\`${name}\``).join(", ")}`]),
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
