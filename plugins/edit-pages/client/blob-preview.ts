import { element } from "rowhouse/browser";
import { t } from "./first-texts.js";

/** Files of more bytes are not shown before they are saved. */
const MOST_BYTES = 5_000_000;

/** Shows the picture that is stored in a field, or the one that was chosen, before it is saved. */
export function previewFile(place: HTMLElement): void {
  const stored = place.querySelector("img");
  if (stored !== null) removeIfDamaged(stored);
  const input = place.querySelector<HTMLInputElement>("input[type=file]");
  input?.addEventListener("change", () => {
    place.querySelector("img.chosen")?.remove();
    const [file] = input.files ?? [];
    if (!file?.type.startsWith("image/") || file.size > MOST_BYTES) return;
    const reader = new FileReader();
    // The policy of pages allows pictures in addresses of the scheme data.
    reader.addEventListener("load", () => {
      const image = element("img", {
        class: "chosen",
        alt: t("script.preview_of", { name: file.name }),
        src: String(reader.result),
      });
      removeIfDamaged(image);
      input.after(image);
    });
    reader.readAsDataURL(file);
  });
}

/** The first bytes are those of a picture. Whether the others are, too, only the browser finds out. */
function removeIfDamaged(image: HTMLImageElement): void {
  if (image.complete && image.naturalWidth === 0) image.remove();
  else image.addEventListener("error", () => image.remove());
}
