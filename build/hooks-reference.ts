// Writes docs/hooks.md and the tables of plugin-api/README.md: `npm run docs`.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { declaredSettings } from "rowhouse";
import { bundledPlugins } from "rowhouse/plugins";
import { apiPage } from "./hooks/api-page.js";
import { hookTable } from "./hooks/hook-table.js";
import { hooksPage } from "./hooks/page.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const hooks = hookTable(ROOT);
const settings = declaredSettings(bundledPlugins).keys();

await writeFile(join(ROOT, "docs/hooks.md"), await hooksPage(ROOT, hooks));
await writeFile(join(ROOT, "plugin-api/README.md"), await apiPage(ROOT, hooks, settings));
