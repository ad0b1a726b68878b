// Divides the files of specs into groups, one for each mocha process of `npm test`.
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** Groups that take long, the longest first: what starts last should be short. */
const LONGEST_FIRST = [
  "plugins/postgres/",
  "plugins/edit-pages/",
  "browser/every-page.spec.js",
  "conformance/conformance.spec.js",
  "docs/examples.spec.js",
  "plugins/sqlite/",
  "plugins/charts/",
  "conformance/postgres.spec.js",
  "cli/workers.spec.js",
  "hostile/blocked-loop.spec.js",
  "hostile/replies.spec.js",
  "plugins/publish/",
  "plugins/write-api/crash.spec.js",
  "browser/",
  "hostile/",
  "cli/",
  "plugins/write-api/",
  "access/",
  "demo/",
  "docs/",
  "plugins/",
  "examples/",
];

/** Files of these folders take seconds each: a few are enough for a group. */
const FEW_IN_GROUP = /^(browser|cli|hostile)\//;

const SPECS = "dist/spec/";

/** Smaller groups are joined with the next one: a process takes a second to load the server. */
const FILES_OF_GROUP = { few: 4, many: 24 };

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
    const before = groupOf(last[0] ?? "");
    const joins =
      areaOf(name) === areaOf(before) && last.length < Math.min(mostJoined(name), mostJoined(before));
    return joins ? [...joined.slice(0, -1), [...last, ...own]] : [...joined, own];
  }, []);
}

/** How many files a group of this name may be joined with; those that take long are alone. */
function mostJoined(name) {
  if (LONGEST_FIRST.includes(name)) return 0;
  if (FEW_IN_GROUP.test(name)) return FILES_OF_GROUP.few;
  return name.startsWith("plugins/") ? FILES_OF_GROUP.many : 0;
}

const areaOf = (path) => path.split("/")[0];

function grouped(files) {
  const groups = new Map();
  for (const file of files) groups.set(groupOf(file), [...(groups.get(groupOf(file)) ?? []), file]);
  return groups;
}

/** `plugins/sqlite/` for all files of this plugin, `cli/get.spec.js` for a group of one file. */
function groupOf(file) {
  if (!file.startsWith(SPECS)) return "examples/";
  const path = file.slice(SPECS.length);
  if (FEW_IN_GROUP.test(path) || LONGEST_FIRST.includes(path)) return path;
  const [area = "", plugin = ""] = dirname(path).split("/");
  return area === "plugins" ? `plugins/${plugin}/` : `${area}/`;
}

/** The place in the order of starts. */
function rank(group) {
  const index = LONGEST_FIRST.findIndex((known) => group.startsWith(known));
  return index === -1 ? LONGEST_FIRST.length : index;
}
