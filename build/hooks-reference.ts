// Writes docs/hooks.md: `npm run docs`.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hookTable } from "./hooks/hook-table.js";
import { hooksPage } from "./hooks/page.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

await writeFile(join(ROOT, "docs/hooks.md"), await hooksPage(ROOT, hookTable(ROOT)));
