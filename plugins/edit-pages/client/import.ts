const TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  ndjson: "application/x-ndjson",
  jsonl: "application/x-ndjson",
};

/** Sends a chosen or dropped file unchanged, and shows the progress. */
export function offerFileUpload(zone: HTMLElement): void {
  zone.hidden = false;
  zone.closest("form")?.querySelector(".paste")?.classList.add("is-folded");
  const input = zone.querySelector("input");
  input?.addEventListener("change", () => {
    const [file] = input.files ?? [];
    if (file) send(zone, file);
  });
  zone.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("is-over");
  });
  zone.addEventListener("dragleave", () => zone.classList.remove("is-over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("is-over");
    const [file] = event.dataTransfer?.files ?? [];
    if (file) send(zone, file);
  });
}

function send(zone: HTMLElement, file: File): void {
  const type = TYPES[file.name.split(".").pop()?.toLowerCase() ?? ""] ?? "text/csv";
  const request = new XMLHttpRequest();
  const bar = zone.querySelector("progress");
  if (bar) bar.hidden = false;
  say(zone, `Sending ${file.name}…`);
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    if (bar) bar.value = loaded / Math.max(1, total);
    if (loaded === total) say(zone, "Writing…");
  });
  request.addEventListener("load", () => finish(zone, request));
  request.addEventListener("error", () => say(zone, "The connection was lost; nothing was imported."));
  request.open("POST", `${zone.dataset["import"] ?? ""}${optionsOf(zone)}`);
  request.setRequestHeader("content-type", type);
  request.setRequestHeader("accept", "application/json");
  const token = zone.closest("form")?.querySelector<HTMLInputElement>("input[name=csrftoken]")?.value;
  if (token) request.setRequestHeader("x-csrftoken", token);
  request.send(file);
}

function optionsOf(zone: HTMLElement): string {
  const form = new FormData(zone.closest("form") ?? undefined);
  const options = [String(form.get("conflict") ?? ""), form.has("alter") ? "alter" : ""].filter(Boolean);
  return options.length === 0 ? "" : `?${options.map((name) => `${name}=1`).join("&")}`;
}

function finish(zone: HTMLElement, request: XMLHttpRequest): void {
  if (request.status < 400) {
    location.assign(zone.dataset["table"] ?? "/");
    return;
  }
  const bar = zone.querySelector("progress");
  if (bar) bar.hidden = true;
  say(zone, `Nothing was imported. ${errorsIn(request.responseText).join(" ")}`, true);
}

function errorsIn(text: string): readonly string[] {
  try {
    const { errors, error } = JSON.parse(text) as { errors?: string[]; error?: string };
    return errors ?? (error === undefined ? [] : [error]);
  } catch {
    return [text.slice(0, 200)];
  }
}

function say(zone: HTMLElement, text: string, isError = false): void {
  const status = zone.querySelector(".import-status");
  if (!status) return;
  status.textContent = text;
  status.classList.toggle("message-error", isError);
}
