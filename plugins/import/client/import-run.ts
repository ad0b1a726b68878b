import { element } from "rowhouse/browser";
import type { PlannedColumn } from "./check/plan.js";
import type { Scan } from "./check/scan.js";
import type { PageFacts } from "./page-facts.js";
import type { Source } from "./read/source.js";
import { ConnectionLost, Refused } from "./send/api.js";
import { addColumns, createTable, type ReadyTable } from "./send/prepare-table.js";
import { runImport, type Outcome } from "./send/run-import.js";
import { dropTable } from "./send/undo.js";
import type { ColumnsForm } from "./steps/columns.js";
import { finishPanel } from "./steps/finish.js";
import { progressPanel } from "./steps/progress.js";
import type { SendChoices, SendForm } from "./steps/send-form.js";
import type { TargetForm } from "./steps/target.js";
import { t } from "./texts.js";

/** What an import is made of. */
export interface RunParts {
  readonly facts: PageFacts;
  readonly csrfToken: string;
  readonly source: Source;
  readonly scan: Scan;
  readonly target: TargetForm;
  readonly columns: ColumnsForm;
  readonly form: SendForm;
  /** The last step. */
  readonly panel: HTMLElement;
  /** The step before it, which can't be changed meanwhile. */
  readonly check: HTMLElement;
  onAgain(): void;
}

/** One import, from its button to its end. */
export class ImportRun {
  constructor(private readonly parts: RunParts) {}

  async start(): Promise<void> {
    const { form, columns, check, panel, scan } = this.parts;
    const choices = form.choices();
    const planned = columns.planned();
    const abort = new AbortController();
    const inParts = choices.partSize !== null;
    const progress = progressPanel({ total: scan.rowCount, inParts }, () => abort.abort());
    check.inert = true;
    form.element.replaceWith(progress.element);
    panel.querySelector("h2")?.focus();
    const startedAt = performance.now();
    let table: ReadyTable | null = null;
    try {
      table = await this.#ready(choices, planned);
      const outcome = await runImport({
        source: this.parts.source,
        plan: { columns: planned, blank: choices.blank, problems: choices.problems },
        url: this.#insertUrl(table, choices),
        csrfToken: this.parts.csrfToken,
        partSize: choices.partSize,
        signal: abort.signal,
        onProgress: (now) => progress.show(now),
        onLost: () => progress.askAboutLost(),
      });
      await this.#finish(progress.element, {
        table,
        outcome,
        choices,
        seconds: (performance.now() - startedAt) / 1000,
      });
    } catch (error) {
      if (!(error instanceof Refused) && !(error instanceof ConnectionLost)) throw error;
      const text = element("p", {}, t("script.import.lost_before"));
      this.#fail(
        progress.element,
        error instanceof Refused ? element("p", { lang: "en" }, error.message) : text,
      );
    }
  }

  /** Creates the table, or the columns that it needs before parts are sent. */
  async #ready(choices: SendChoices, planned: readonly PlannedColumn[]): Promise<ReadyTable> {
    const { target, columns, facts, scan } = this.parts;
    const created = columns.created();
    if (target.table === null) {
      const { name, key } = target.created();
      const position = key === null ? -1 : scan.columns.indexOf(key);
      const keyName =
        position === -1 ? key : (planned.find((one) => one.position === position)?.name ?? null);
      return createTable(facts.database.url, { name, key: keyName }, created);
    }
    // With one transaction, the insert itself adds them.
    if (choices.partSize !== null) await addColumns(target.table, created);
    const { name, url, keys } = target.table;
    return { name, url, keys };
  }

  #insertUrl({ url }: ReadyTable, { conflict, partSize }: SendChoices): string {
    const { target, columns } = this.parts;
    const changes = conflict === "upsert" || conflict === "replace";
    const adds = target.table !== null && partSize === null && columns.created().length > 0;
    const options = [
      ...(conflict === "" ? [] : [conflict]),
      ...(adds ? ["alter"] : []),
      // A new table is dropped as a whole.
      ...(!changes && target.table?.mayUndo === true ? ["return_keys"] : []),
    ];
    return `${url}/-/insert?${options.map((name) => `${name}=1`).join("&")}`;
  }

  async #finish(
    shown: HTMLElement,
    ended: {
      readonly table: ReadyTable;
      readonly outcome: Outcome;
      readonly choices: SendChoices;
      readonly seconds: number;
    },
  ): Promise<void> {
    const { facts, target, source, panel, onAgain } = this.parts;
    const { table, outcome, choices, seconds } = ended;
    const isNewTable = target.table === null;
    const isEmptied = isNewTable && outcome.stored === 0 && outcome.end !== "done" && outcome.end !== "lost";
    const left = isEmptied ? await this.#dropEmpty(table) : false;
    const changes = choices.conflict === "upsert" || choices.conflict === "replace";
    const finish = finishPanel(
      {
        databaseUrl: facts.database.url,
        batches: facts.database.batches,
        table: table.name,
        tableUrl: isEmptied && !left ? facts.database.url : table.url,
        isNewTable: isNewTable && !(isEmptied && !left),
        keyColumns: table.keys,
        keys: outcome.keys,
        outcome,
        seconds,
        mayUndo: isNewTable ? facts.database.mayDrop : target.table?.mayUndo === true && !changes,
        placeName: source.placeName,
        inParts: choices.partSize !== null,
      },
      outcome.end === "done" ? onAgain : () => this.#back(finish),
    );
    if (left) finish.append(element("p", {}, t("script.import.table_left", { table: table.name })));
    shown.replaceWith(finish);
    this.parts.check.hidden = outcome.end === "done";
    panel.querySelector("h2")?.focus();
  }

  /** @returns true if the empty table is still there */
  async #dropEmpty(table: ReadyTable): Promise<boolean> {
    return dropTable({ tableUrl: table.url }).then(
      () => false,
      () => true,
    );
  }

  #fail(shown: HTMLElement, reason: HTMLElement): void {
    this.#back(shown);
    const message = element("div", { class: "message-error", role: "alert" }, reason);
    this.parts.form.element.prepend(message);
  }

  /** Shows the form again, with its choices. */
  #back(shown: HTMLElement): void {
    const { check, form } = this.parts;
    check.inert = false;
    for (const old of form.element.querySelectorAll(":scope > .message-error")) old.remove();
    shown.replaceWith(form.element);
  }
}
