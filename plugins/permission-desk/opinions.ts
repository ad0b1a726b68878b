import type { Awaitable, RecordedOpinion, Rowhouse } from "rowhouse/plugin-api";

const ANSWER_LIMIT_MS = 5000;

/** One plugin's answer to one of many questions. */
export const itemOf = (answers: Awaitable<unknown>, index: number): unknown => {
  if (answers instanceof Promise) return answers.then((list: unknown) => itemOf(list, index));
  return Array.isArray(answers) ? answers[index] : answers;
};

/** What plugins make of one question. No opinion at all, failing or taking too long is a no, and logged. */
export class Opinions {
  readonly #rowhouse: Rowhouse;
  readonly #action: string;
  readonly #opinions: RecordedOpinion[] = [];
  readonly #pending: Promise<void>[] = [];

  constructor(rowhouse: Rowhouse, action: string) {
    this.#rowhouse = rowhouse;
    this.#action = action;
  }

  take(plugin: string, answer: unknown): void {
    if (answer === null || answer === undefined) return;
    if (typeof answer === "boolean")
      return void this.#opinions.push({ plugin, allowed: answer, because: null });
    if (answer instanceof Promise) return void this.#pending.push(this.#arrival(plugin, answer));
    if (isReasoned(answer)) return void this.#opinions.push({ plugin, ...answer });
    this.#refuse(plugin, "its answer is neither true, false nor nothing");
  }

  async all(): Promise<readonly RecordedOpinion[]> {
    if (this.#pending.length > 0) await Promise.all(this.#pending);
    return this.#opinions;
  }

  async #arrival(plugin: string, answer: Promise<unknown>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${ANSWER_LIMIT_MS} ms`)), ANSWER_LIMIT_MS);
    });
    try {
      this.take(plugin, await Promise.race([answer, late]));
    } catch (error) {
      this.#refuse(plugin, error instanceof Error ? error.message : String(error), error);
    } finally {
      clearTimeout(timer);
    }
  }

  #refuse(plugin: string, because: string, cause?: unknown): void {
    const where = `Plugin ${plugin} failed in permission_allowed for ${this.#action}`;
    this.#rowhouse.log.error(`${where}: ${because}`, cause);
    this.#opinions.push({ plugin, allowed: false, because });
  }
}

const isReasoned = (answer: unknown): answer is { readonly allowed: boolean; readonly because: string } =>
  typeof answer === "object" && answer !== null && "allowed" in answer && typeof answer.allowed === "boolean";
