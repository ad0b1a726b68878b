// Compiles the worked plugins as their authors would: against the built Rowhouse, each in its own package.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = new URL("../", import.meta.url);
const modules = new URL("examples/node_modules/", root);

/** Links the packages as `npm install` does: they find Rowhouse and each other. A copied checkout has links to another. */
function link(name, folder) {
  rmSync(new URL(name, modules), { force: true });
  symlinkSync(fileURLToPath(folder), new URL(name, modules), "dir");
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

// What runs in browsers, as `npm run build` of the package makes it.
for (const entry of readdirSync(new URL("examples/", root), { withFileTypes: true })) {
  const client = fileURLToPath(new URL(`examples/${entry.name}/client/`, root));
  if (!existsSync(client)) continue;
  const entryPoints = readdirSync(client).filter((name) => name === "app.ts" || name.endsWith(".css"));
  await build({
    entryPoints: entryPoints.map((name) => `${client}${name}`),
    outdir: fileURLToPath(new URL(`examples/${entry.name}/dist/static/`, root)),
    bundle: true,
    format: "esm",
    logLevel: "warning",
  });
}
