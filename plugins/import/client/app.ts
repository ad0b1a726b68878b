/** The page that imports a file: reads it, shows what was found, and sends its rows. */
import type { PageFacts } from "./page-facts.js";
import { ImportSession } from "./import-session.js";
import { offerFile } from "./steps/choose-file.js";

const root = document.querySelector<HTMLElement>("[data-import]");
if (root) {
  const session = new ImportSession(root, JSON.parse(root.dataset["import"] ?? "{}") as PageFacts);
  offerFile(root, (file) => void session.take(file));
}
