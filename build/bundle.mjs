// Bundles the command with the plugin API, the bundled plugins and all dependencies except the SQLite driver: reading
// a few files takes a third of the processor time of reading 700. Types and other programs use the separate modules.
import { readdir, readFile, rm } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { build } from "esbuild";

const OUT = "dist/bundle";
const MANIFEST = JSON.parse(await readFile("package.json", "utf8"));

/** `./plugin-api/sql` in `exports` is `plugin-api.sql.js` in the bundle. Specs are loaded by other programs. */
const shared = Object.entries(MANIFEST.exports)
  .filter(([name, { default: file }]) => file !== undefined && !name.startsWith("./testing"))
  .map(([name, { default: file }]) => ({
    name: name.replace(".", "rowhouse"),
    entry: name === "." ? "index" : name.slice(2).replaceAll("/", "."),
    file,
  }));

/** Modules find their templates and assets beside themselves, where the bundle is not. */
const ownAddresses = {
  name: "own-addresses",
  setup(bundle) {
    bundle.onLoad({ filter: /\.js$/ }, async ({ path }) => {
      const place = relative(resolve(OUT), path);
      if (!place.startsWith("../") || place.startsWith("../../")) return undefined;
      const code = await readFile(path, "utf8");
      const address = `new URL(${JSON.stringify(place)}, import.meta.url).href`;
      return { contents: code.replaceAll("import.meta.url", address) };
    });
  },
};

/** Plugins that import Rowhouse get the modules of the bundle: see `cli/plugins/own-modules.ts`. */
const bundledModules = {
  name: "bundled-modules",
  setup(bundle) {
    bundle.onLoad({ filter: /dist\/cli\/plugins\/own-modules\.js$/ }, () => {
      const urls = shared.map(
        ({ name, entry }) => `[${JSON.stringify(name)}, new URL("${entry}.js", import.meta.url).href]`,
      );
      return { contents: `export const ownModules = () => new Map([${urls.join(", ")}]);` };
    });
  },
};

/** The widths of characters beyond ASCII need tables that take 30 ms to make. Few texts of the command contain any. */
const lazyStringWidth = {
  name: "lazy-string-width",
  setup(bundle) {
    bundle.onLoad({ filter: /node_modules\/string-width\/index\.js$/ }, ({ path, suffix }) => {
      if (suffix === WITH_TABLES) return undefined;
      const contents = `export default (text, options) =>
        /^[ -~]*$/.test(text) ? text.length : require("./index.js${WITH_TABLES}").default(text, options);`;
      return { contents, resolveDir: dirname(path) };
    });
  },
};
const WITH_TABLES = "?with-tables";

/** Express re-exports four parsers of bodies, which Rowhouse never calls. Tables of encodings make them 1.1 MB. */
const lazyBodyParser = {
  name: "lazy-body-parser",
  setup(bundle) {
    bundle.onLoad({ filter: /node_modules\/body-parser\/index\.js$/ }, () => ({
      contents: `const load = (name) => require(require.resolve(name, { paths: [require.resolve("express")] }));
        for (const kind of ["json", "raw", "text", "urlencoded"])
          exports[kind] = (options) => load("body-parser")[kind](options);`,
      loader: "js",
    }));
  },
};

const { metafile } = await build({
  entryPoints: {
    ...Object.fromEntries(shared.map(({ entry, file }) => [entry, file])),
    main: "dist/cli/main.js",
  },
  outdir: OUT,
  bundle: true,
  splitting: true,
  chunkNames: "[name]-[hash]",
  format: "esm",
  platform: "node",
  target: "node20",
  // Names stay as they are: they are in stack traces.
  minifySyntax: true,
  minifyWhitespace: true,
  external: ["sqlite3", "typescript"],
  plugins: [bundledModules, lazyStringWidth, lazyBodyParser, ownAddresses],
  // What CommonJS dependencies require of Node.
  banner: {
    js: 'import { createRequire as createRequireOfBundle } from "node:module"; const require = createRequireOfBundle(import.meta.url);',
  },
  metafile: true,
  logLevel: "warning",
});

// After the build, so that a command that runs meanwhile finds its files.
const made = new Set(Object.keys(metafile.outputs));
for (const name of await readdir(OUT)) if (!made.has(`${OUT}/${name}`)) await rm(`${OUT}/${name}`);
