import { scriptTexts } from "./texts.js";

const t = scriptTexts({
  "script.not_loaded": "A part of this page could not be loaded. Load the page again.",
});

/**
 * A part of a script that is loaded when it is needed. Its file is gone if the server was updated since the page was
 * loaded.
 *
 * @throws Error with a message for the visitor
 * @example
 * const { draw } = await loadPart(() => import(addressOfDrawing));
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch {
    throw new Error(t("script.not_loaded"));
  }
}
