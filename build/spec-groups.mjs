// Divides the files of specs into groups, one for each mocha process of `npm test`.
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** Groups that take long, the longest first: what starts last should be short. */
const LONGEST_FIRST = [
  "conformance/conformance.spec.js",
  "cli/replacement.spec.js",
  "docs/examples.spec.js",
  "browser/every-page.spec.js",
  "hostile/generated.spec.js",
  "plugins/write-api/crash.spec.js",
  "browser/",
  "cli/",
  "plugins/sqlite/",
  "plugins/write-api/",
  "hostile/",
];

/** Files of these folders share little, and each takes seconds. */
const ONE_BY_ONE = /^(browser|cli|hostile)\//;

const SPECS = "dist/spec/";

/** Fewer files are joined with those of the next plugin: a process takes a second to load the server. */
const FILES_OF_GROUP = 12;

/** The compiled specs of Rowhouse and of the examples. Compiled ones without a source are left over. */
export function specFiles() {
  const examples = readdirSync("examples", { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join("examples", name));
  return [
    ...sourcesIn("spec").map((file) => join("dist", file)),
    ...examples.flatMap((folder) =>
      sourcesIn(join(folder, "spec")).map((file) => file.replace(folder, join(folder, "dist"))),
    ),
  ].map((file) => file.replace(/ts$/, "js"));
}

const sourcesIn = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true })
        .filter((file) => file.endsWith(".spec.ts"))
        .map((file) => join(folder, file))
    : [];

/** @returns lists of files */
export function groupsOf(files) {
  const groups = grouped(files.toSorted());
  const ordered = [...groups].toSorted(([left], [right]) => rank(left) - rank(right));
  return ordered.reduce((joined, [name, own]) => {
    const last = joined.at(-1) ?? [];
    const isSmall = name.startsWith("plugins/") && rank(name) === LONGEST_FIRST.length;
    const joins = isSmall && groupOf(last[0] ?? "").startsWith("plugins/") && last.length < FILES_OF_GROUP;
    return joins ? [...joined.slice(0, -1), [...last, ...own]] : [...joined, own];
  }, []);
}

function grouped(files) {
  const groups = new Map();
  for (const file of files) groups.set(groupOf(file), [...(groups.get(groupOf(file)) ?? []), file]);
  return groups;
}

/** `plugins/sqlite/` for all files of this plugin, `cli/get.spec.js` for a group of one file. */
function groupOf(file) {
  if (!file.startsWith(SPECS)) return "examples/";
  const path = file.slice(SPECS.length);
  if (ONE_BY_ONE.test(path) || LONGEST_FIRST.includes(path)) return path;
  const [area = "", plugin = ""] = dirname(path).split("/");
  return area === "plugins" ? `plugins/${plugin}/` : `${area}/`;
}

/** The place in the order of starts. */
function rank(group) {
  const index = LONGEST_FIRST.findIndex((known) => group.startsWith(known));
  return index === -1 ? LONGEST_FIRST.length : index;
}
