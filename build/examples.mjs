// Compiles the worked plugins as their authors would: against the built Rowhouse, each in its own package.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);
const modules = new URL("examples/node_modules/", root);

/** Links the packages as `npm install` does: they find Rowhouse and each other. */
function link(name, folder) {
  try {
    symlinkSync(fileURLToPath(folder), new URL(name, modules), "dir");
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  }
}

mkdirSync(modules, { recursive: true });
link("rowhouse", root);
for (const entry of readdirSync(new URL("examples/", root), { withFileTypes: true })) {
  if (!entry.isDirectory() || entry.name === "node_modules") continue;
  link(`rowhouse-plugin-${entry.name}`, new URL(`examples/${entry.name}/`, root));
}
execFileSync(new URL("node_modules/.bin/tsc", root).pathname, ["-b", "examples"], {
  cwd: fileURLToPath(root),
  stdio: "inherit",
});
