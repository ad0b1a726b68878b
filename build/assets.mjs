// Puts what TypeScript does not compile (templates, styles, pictures) beside the compiled code, and bundles
// what runs in browsers: `plugins/<name>/client/app.ts` becomes that plugin's `static/app.js`,
// `plugins/<name>/styles/app.css` its `static/app.css`, `plugins/<name>/client/early.ts` its `static/early.js`, which
// is no module: a page waits for it before it is drawn.
import { access, chmod, cp, readdir, rm } from "node:fs/promises";
import { build } from "esbuild";

const plugins = await readdir("plugins", { withFileTypes: true });
for (const plugin of plugins.filter((entry) => entry.isDirectory())) {
  // Bundles carry their content in their name: those of the last build would stay, and be published.
  await rm(`dist/plugins/${plugin.name}/static`, { recursive: true, force: true });
  for (const folder of ["templates", "static"]) {
    const from = `plugins/${plugin.name}/${folder}`;
    await cp(from, `dist/${from}`, { recursive: true }).catch((error) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
  await bundle(`plugins/${plugin.name}/client/app.ts`, `dist/plugins/${plugin.name}/static`);
  await bundle(`plugins/${plugin.name}/client/early.ts`, `dist/plugins/${plugin.name}/static`, {
    format: "iife",
    splitting: false,
  });
  await bundle(`plugins/${plugin.name}/styles/app.css`, `dist/plugins/${plugin.name}/static`);
}

// For scripts of plugins that are not bundled: `/-/static/browser.js`.
await bundle("dist/plugin-api/browser/index.js", "dist/plugins/pages/static", {
  entryNames: "browser",
  splitting: false,
});

/** What is imported only when needed becomes a file of its own. Does nothing for a plugin without `entry`. */
async function bundle(entry, outdir, options = {}) {
  const exists = await access(entry).then(
    () => true,
    () => false,
  );
  if (!exists) return;
  await build({
    entryPoints: [entry],
    outdir,
    bundle: true,
    splitting: true,
    chunkNames: "[name]-[hash]",
    minify: true,
    format: "esm",
    target: "es2022",
    logLevel: "warning",
    ...options,
  });
}

/** Modules of Node that the process for SQL seldom needs: they take 4 MB, and are loaded when a name of them is used. */
const SELDOM_NEEDED = /^node:(crypto|readline|fs\/promises)$/;

const loadedAtUse = {
  name: "loaded-at-use",
  setup(bundle) {
    bundle.onResolve({ filter: SELDOM_NEEDED }, ({ path, namespace }) =>
      namespace === "loaded-at-use" ? { path, external: true } : { path, namespace: "loaded-at-use" },
    );
    bundle.onLoad({ filter: /.*/, namespace: "loaded-at-use" }, async ({ path }) => {
      const names = Object.keys(await import(path)).filter((name) => name !== "default");
      const getters = names.map((name) => `get ${name}() { return require("${path}").${name}; }`);
      return { contents: `module.exports = { ${getters.join(", ")} };` };
    });
  },
};

// One CommonJS file with only what it needs starts in less time and memory than the modules it is made from.
await build({
  entryPoints: ["dist/plugins/sqlite/isolation/child.js"],
  outfile: "dist/plugins/sqlite/isolation/child.cjs",
  bundle: true,
  // Names stay as they are: errors are distinguished by theirs, and naming closures again takes longer than
  // most of them run.
  minifySyntax: true,
  minifyWhitespace: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["sqlite3"],
  plugins: [loadedAtUse],
  define: { "import.meta.url": "moduleUrl" },
  banner: { js: 'const moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
  logLevel: "warning",
});

// What `rowhouse plugin new` makes a plugin from.
await cp("cli/scaffold", "dist/cli/scaffold", { recursive: true });

// So that the command can be run where it lies, not only as npm installs it.
await chmod("dist/cli/rowhouse.cjs", 0o755);
