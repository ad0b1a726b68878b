import { PluginError } from "rowhouse/plugin-api";
import type { Awaitable, RecordedOpinion, Rowhouse } from "rowhouse/plugin-api";

/** One plugin's answer to one of many questions. */
export const itemOf = (answers: Awaitable<unknown>, index: number): unknown => {
  if (answers instanceof Promise) return answers.then((list: unknown) => itemOf(list, index));
  if (!Array.isArray(answers)) return answers;
  return index < answers.length ? (answers as readonly unknown[])[index] : "an answer is missing";
};

/** What plugins make of one question. Failing to give one is a no, and logged. */
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
    try {
      this.take(plugin, await answer);
    } catch (error) {
      const cause = error instanceof PluginError ? error.cause : error;
      this.#refuse(plugin, cause instanceof Error ? cause.message : String(cause), cause);
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
