// Puts what TypeScript does not compile (templates, styles, pictures) beside the compiled code.
import { cp, readdir } from "node:fs/promises";

const plugins = await readdir("plugins", { withFileTypes: true });
for (const plugin of plugins.filter((entry) => entry.isDirectory())) {
  for (const folder of ["templates", "static"]) {
    const from = `plugins/${plugin.name}/${folder}`;
    await cp(from, `dist/${from}`, { recursive: true }).catch((error) => {
      if (error.code !== "ENOENT") throw error;
    });
  }
}
