import type { ImportFile } from "../read/open.js";
import { t } from "../texts.js";

/** Offers to choose, drop or paste a file. */
export function offerFile(root: HTMLElement, onFile: (file: ImportFile) => void): void {
  const zone = root.querySelector<HTMLElement>(".drop-zone");
  const input = root.querySelector<HTMLInputElement>("input[type=file]");
  input?.addEventListener("change", () => {
    take(input.files, onFile);
    // The same file can be chosen again after it was changed.
    input.value = "";
  });
  document.addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files") !== true) return;
    event.preventDefault();
    zone?.classList.add("is-over");
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) zone?.classList.remove("is-over");
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    zone?.classList.remove("is-over");
    take(event.dataTransfer?.files ?? null, onFile);
  });
  offerPaste(root, onFile);
}

function take(files: FileList | null, onFile: (file: ImportFile) => void): void {
  const [file] = files ?? [];
  if (file !== undefined) onFile({ name: file.name, blob: file });
}

function offerPaste(root: HTMLElement, onFile: (file: ImportFile) => void): void {
  const area = root.querySelector<HTMLTextAreaElement>(".import-paste textarea");
  const read = (text: string): void => {
    if (text.trim() !== "") onFile({ name: t("script.import.pasted_rows"), blob: new Blob([text]) });
  };
  root.querySelector("[data-read]")?.addEventListener("click", () => read(area?.value ?? ""));
  document.addEventListener("paste", (event) => {
    const isField =
      event.target instanceof Element && event.target.closest("input, textarea, select") !== null;
    if (isField) return;
    const { files } = event.clipboardData ?? {};
    if (files !== undefined && files.length > 0) take(files, onFile);
    else read(event.clipboardData?.getData("text/plain") ?? "");
  });
}
