import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { kernelHooks, type HookKind, type HookPolicy } from "rowhouse/plugin-api/kernel";
import { Kernel } from "rowhouse";
import { bundledPlugins } from "rowhouse/plugins";
import {
  definedHooks,
  interfaceMembers,
  literalMembers,
  typeArguments,
  type Member,
} from "./declarations.js";

/** The bundled plugins of a server with their hooks, including those that `setup` returns. */
const { plugins } = await Kernel.open({
  plugins: bundledPlugins.map((plugin) => ({ plugin })),
  secrets: ["only for documentation"],
  // Its default depends on the version of Node.
  settings: { sql_timing: "on" },
  dormant: true,
});

/** One hook as the types describe it. */
export interface HookEntry {
  readonly name: string;
  readonly kind: HookKind;
  /** The bundled plugin that fires it; null for the kernel. */
  readonly owner: string | null;
  /** The file that declares it, from the root of the repository. */
  readonly file: string;
  readonly doc: string;
  readonly args: readonly Member[];
  /** The type of a result; null for hooks without results. */
  readonly answer: string | null;
  /** True if the request continues without the result of a plugin that fails. */
  readonly skips: boolean;
  /** What the results change. */
  readonly affects: NonNullable<HookPolicy["affects"]>;
  /** Bundled plugins that take part, in firing order. */
  readonly tappedBy: readonly string[];
}

const SOURCES = "plugin-api";
const NOTHING = new Set(["Nothing", "Readonly<Record<never, never>>"]);

/** Every hook: the kernel's in the order of its table, then those of the bundled plugins in firing order. */
export function hookTable(root: string): readonly HookEntry[] {
  const files = filesIn(root, SOURCES);
  const sources = files.map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));
  const everything = sources.map(({ text }) => text).join("\n");
  const declared = sources.flatMap(({ file, text }) =>
    definedHooks(text).map((member) => entry(member, file, everything)),
  );
  return firingOrder().map((name) => {
    const found = declared.find((one) => one.name === name);
    if (found === undefined) throw new Error(`No type declares the hook ${name}`);
    return found;
  });
}

const filesIn = (root: string, folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .toSorted()
    .map((name) => `${folder}/${name}`);

const firingOrder = (): readonly string[] => [
  ...Object.keys(kernelHooks),
  ...bundledPlugins.flatMap(({ hooks }) => Object.keys(hooks ?? {})),
];

function policyOf(name: string): HookPolicy {
  const specs = bundledPlugins.flatMap(({ hooks = {} }) => (Object.hasOwn(hooks, name) ? [hooks[name]] : []));
  const [spec = kernelHooks[name as keyof typeof kernelHooks]] = specs;
  return typeof spec === "object" ? spec : {};
}

/** `firstOfAll` for `FirstOfAll<...>`. */
const kindOf = (type: string): HookKind =>
  (type.charAt(0).toLowerCase() + type.slice(1, type.indexOf("<"))) as HookKind;

function entry(member: Member, file: string, everything: string): HookEntry {
  const { name, doc } = member;
  const [args = "", answer = null] = typeArguments(member.type);
  return {
    name,
    kind: kindOf(member.type),
    owner: bundledPlugins.find(({ hooks }) => hooks !== undefined && name in hooks)?.name ?? null,
    file,
    doc,
    args: argumentsOf(args, everything),
    answer,
    skips: policyOf(name).failing === "skip",
    affects: policyOf(name).affects ?? "data",
    tappedBy: plugins.filter(({ hooks }) => hooks.includes(name)).map((plugin) => plugin.name),
  };
}

function argumentsOf(type: string, everything: string): readonly Member[] {
  if (NOTHING.has(type)) return [];
  if (type.startsWith("{")) return literalMembers(type);
  const members = interfaceMembers(everything, type);
  if (members.length === 0) throw new Error(`The arguments ${type} are not declared`);
  return members;
}
