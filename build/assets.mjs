// Puts what TypeScript does not compile (templates, styles, pictures) beside the compiled code, and bundles
// what runs in browsers: `plugins/<name>/client/app.ts` becomes that plugin's `static/app.js`.
import { access, chmod, cp, readdir } from "node:fs/promises";
import { build } from "esbuild";

const plugins = await readdir("plugins", { withFileTypes: true });
for (const plugin of plugins.filter((entry) => entry.isDirectory())) {
  for (const folder of ["templates", "static"]) {
    const from = `plugins/${plugin.name}/${folder}`;
    await cp(from, `dist/${from}`, { recursive: true }).catch((error) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
  const client = `plugins/${plugin.name}/client/app.ts`;
  const hasClient = await access(client).then(
    () => true,
    () => false,
  );
  if (!hasClient) continue;
  await build({
    entryPoints: [client],
    outfile: `dist/plugins/${plugin.name}/static/app.js`,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    logLevel: "warning",
  });
}

// So that the command can be run where it lies, not only as npm installs it.
await chmod("dist/cli/rowhouse.cjs", 0o755);
