// Writes docs/hooks.md, and the tables of plugin-api/README.md and docs/architecture.md: `npm run docs`.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { declaredSettings } from "rowhouse";
import { bundledPlugins } from "rowhouse/plugins";
import { apiPage } from "./reference/api-page.js";
import { architecturePage } from "./reference/architecture-page.js";
import { hookTable } from "./reference/hook-table.js";
import { hooksPage } from "./reference/page.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const hooks = hookTable(ROOT);
const settings = declaredSettings(bundledPlugins).keys();

await writeFile(join(ROOT, "docs/hooks.md"), await hooksPage(ROOT, hooks));
await writeFile(join(ROOT, "plugin-api/README.md"), await apiPage(ROOT, hooks, settings));
await writeFile(join(ROOT, "docs/architecture.md"), await architecturePage(ROOT));
