import { element } from "rowhouse/browser";
import { scan, type Scan } from "./check/scan.js";
import { fetchTable } from "./facts.js";
import type { PageFacts, TableFacts } from "./page-facts.js";
import { openFile, sourceOf, type ImportFile, type Opened, type Reading } from "./read/open.js";
import { UnreadableFile, type Source } from "./read/source.js";
import { FALLBACK, WrongEncoding } from "./read/text.js";
import { ImportRun } from "./import-run.js";
import { mappedColumns, newColumns, type ColumnsForm } from "./steps/columns.js";
import { preview } from "./steps/preview.js";
import { readingForm } from "./steps/reading-form.js";
import { sendForm } from "./steps/send-form.js";
import { targetForm } from "./steps/target.js";
import { t, textOf } from "./texts.js";

/** The steps from a file to its rows in a table. Each file replaces the one before. */
export class ImportSession {
  readonly #status: HTMLElement;
  readonly #csrfToken: string;
  #reading = new AbortController();
  #isRunning = false;

  constructor(
    private readonly root: HTMLElement,
    private readonly facts: PageFacts,
  ) {
    this.#status = root.querySelector<HTMLElement>(".import-status") ?? element("p");
    this.#csrfToken = root.querySelector<HTMLInputElement>("input[name=csrftoken]")?.value ?? "";
  }

  /** Reads a file, and shows the next steps. */
  async take(file: ImportFile): Promise<void> {
    // Its progress, Cancel and Undo would be gone.
    if (this.#isRunning) return this.#say(t("script.import.is_running"), true);
    this.#clear();
    this.#reading.abort();
    const { signal } = (this.#reading = new AbortController());
    try {
      const opened = await openFile(file);
      if (!signal.aborted) void this.#read(opened, opened.reading);
    } catch (error) {
      if (!signal.aborted) this.#refuse(error);
    }
  }

  async #read(opened: Opened, reading: Reading): Promise<void> {
    this.#clear();
    this.#reading.abort();
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    try {
      const source = await sourceOf(opened, reading);
      const onProgress = (rows: number): void =>
        this.#say(t("script.import.reading", { file: opened.file.name, rows: rowsText(rows) }));
      const found = await scan(source, { signal, onProgress });
      signal.throwIfAborted();
      const columns = t("script.import.columns", { count: found.columns.length });
      this.#say(t("script.import.read", { file: opened.file.name, rows: rowsText(found.rowCount), columns }));
      this.#check({ opened, reading, source, found }, this.facts.table);
    } catch (error) {
      if (signal.aborted) return;
      // Bytes that are not UTF-8 may come late in a file.
      if (error instanceof WrongEncoding && reading === opened.reading && reading.encoding === "utf-8") {
        await this.#read(opened, { ...reading, encoding: FALLBACK });
        return;
      }
      this.#refuse(error);
      this.root.append(
        this.#panel(
          t("script.import.check"),
          readingForm(opened, reading, (next) => void this.#read(opened, next)),
        ),
      );
    }
  }

  #check(file: ReadFile, table: TableFacts | null): void {
    this.#clear();
    const { opened, reading, source, found } = file;
    const name = opened.file.name
      .replace(/\.[^.]*$/, "")
      .replace(/[^\p{L}\p{N}]+/gu, "_")
      .toLowerCase();
    const target = targetForm(this.facts, { table, scan: found, name }, (url) => {
      void this.#choose(file, url, table);
    });
    const columns: ColumnsForm =
      table === null
        ? newColumns(found, this.facts.database)
        : mappedColumns(found, table, this.facts.database);
    const cancelHref = this.facts.table?.url ?? this.facts.database.url;
    const { placeName } = source;
    const form = sendForm(
      { scan: found, placeName, table },
      { onStart: () => void this.#start(run), cancelHref },
    );
    const check = this.#panel(
      t("script.import.check"),
      readingForm(opened, reading, (next) => void this.#read(opened, next)),
      preview(found, placeName),
      target.element,
      element("div", { class: "import-columns-box" }, columns.element),
    );
    const send = this.#panel(t("script.import.import"), form.element);
    const run = new ImportRun({
      facts: this.facts,
      csrfToken: this.#csrfToken,
      source,
      scan: found,
      target,
      columns,
      form,
      panel: send,
      check,
      onAgain: () => this.#again(),
    });
    check.addEventListener("change", () => form.refresh(columns.planned()));
    form.refresh(columns.planned());
    this.root.append(check, send);
    check.querySelector("h2")?.focus();
  }

  /** Shows the columns of another table; if it can't be read, those of the table before, and why. */
  async #choose(file: ReadFile, url: string | null, before: TableFacts | null): Promise<void> {
    this.#reading.abort();
    const { signal } = (this.#reading = new AbortController());
    // Meanwhile, the button would import into the table before.
    for (const step of this.root.querySelectorAll<HTMLElement>(".import-step")) step.inert = true;
    try {
      const table = url === null ? null : await fetchTable(url);
      if (!signal.aborted) this.#check(file, table);
    } catch {
      if (signal.aborted) return;
      this.#check(file, before);
      const reason = element("p", {}, t("script.import.no_facts"));
      this.root
        .querySelector(".import-step h2")
        ?.after(element("div", { class: "message-error", role: "alert" }, reason));
    }
  }

  async #start(run: ImportRun): Promise<void> {
    const status = this.#status.textContent;
    this.#isRunning = true;
    addEventListener("beforeunload", askBeforeLeaving);
    try {
      await run.start();
    } finally {
      this.#isRunning = false;
      removeEventListener("beforeunload", askBeforeLeaving);
      if (this.#status.textContent !== status) this.#say(status);
    }
  }

  #again(): void {
    this.#clear();
    this.#say("");
    this.root.querySelector<HTMLElement>("input[type=file]")?.focus();
  }

  #panel(title: string, ...content: readonly HTMLElement[]): HTMLElement {
    return element(
      "section",
      { class: "panel import-step" },
      element("h2", { tabindex: "-1" }, title),
      ...content,
    );
  }

  #clear(): void {
    for (const step of this.root.querySelectorAll(".import-step")) step.remove();
  }

  #say(text: string, isError = false): void {
    this.#status.textContent = text;
    this.#status.classList.toggle("message-error", isError);
  }

  #refuse(error: unknown): void {
    if (!(error instanceof UnreadableFile)) {
      this.#say(t("script.import.unreadable"), true);
      throw error;
    }
    this.#say(textOf(error.reason), true);
  }
}

const askBeforeLeaving = (event: BeforeUnloadEvent): void => event.preventDefault();

const rowsText = (count: number): string => t("script.import.rows", { count });

/** A file that was read once. */
interface ReadFile {
  readonly opened: Opened;
  readonly reading: Reading;
  readonly source: Source;
  readonly found: Scan;
}
