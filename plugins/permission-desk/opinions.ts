import { messageOf, PluginError } from "rowhouse/plugin-api";
import type { RecordedOpinion, Rowhouse } from "rowhouse/plugin-api";

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

  /** Those that have arrived. */
  get taken(): readonly RecordedOpinion[] {
    return this.#opinions;
  }

  get isComplete(): boolean {
    return this.#pending.length === 0;
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
      this.#refuse(plugin, messageOf(cause), cause);
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

/** What plugins make of the same question about many resources. Most have nothing to say of most of them. */
export class ManyOpinions {
  readonly #rowhouse: Rowhouse;
  readonly #action: string;
  readonly #each: (Opinions | undefined)[];
  readonly #pending: Promise<void>[] = [];

  constructor(rowhouse: Rowhouse, action: string, count: number) {
    this.#rowhouse = rowhouse;
    this.#action = action;
    this.#each = Array.from({ length: count });
  }

  take(plugin: string, answers: unknown): void {
    if (answers === null || answers === undefined) return;
    if (answers instanceof Promise) {
      this.#pending.push(this.#arrival(plugin, answers));
      return;
    }
    if (!Array.isArray(answers)) return this.#spread(plugin, () => answers);
    const list = answers as readonly unknown[];
    this.#spread(plugin, (index) => (index < list.length ? list[index] : "an answer is missing"));
  }

  async #arrival(plugin: string, answers: Promise<unknown>): Promise<void> {
    const failed = await answers.then(
      (list) => this.take(plugin, list),
      (error: unknown) => ({ error }),
    );
    // Each question then has an answer that fails.
    if (failed !== undefined) this.#spread(plugin, () => Promise.reject(failed.error));
  }

  /** By position; undefined where nobody said anything. */
  async all(): Promise<readonly (readonly RecordedOpinion[] | undefined)[]> {
    if (this.#pending.length > 0) await Promise.all(this.#pending);
    await Promise.all(this.#each.filter((one) => one?.isComplete === false).map((one) => one?.all()));
    return this.#each.map((one) => one?.taken);
  }

  #spread(plugin: string, answerTo: (index: number) => unknown): void {
    for (let index = 0; index < this.#each.length; index += 1) {
      const answer = answerTo(index);
      if (answer === null || answer === undefined) continue;
      const one = (this.#each[index] ??= new Opinions(this.#rowhouse, this.#action));
      one.take(plugin, answer);
    }
  }
}
