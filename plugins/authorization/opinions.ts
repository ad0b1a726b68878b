import { isObject, messageOf, type Awaitable, type Rowhouse } from "rowhouse/plugin-api";
import { errorIdOf, PluginError } from "rowhouse/plugin-api/errors";
import type { RecordedOpinion } from "rowhouse/plugin-api/access";

/** The opinions by index of the resource; undefined for resources without opinions, as most are. */
export type OpinionsByIndex = readonly (readonly RecordedOpinion[] | undefined)[];

/** Collects the opinions of plugins on resources for one action. A failure is logged and counts as denial. */
export class Opinions {
  readonly #rowhouse: Rowhouse;
  readonly #action: string;
  readonly #byIndex: (RecordedOpinion[] | undefined)[];
  readonly #pending: Promise<void>[] = [];

  constructor(rowhouse: Rowhouse, action: string, count: number) {
    this.#rowhouse = rowhouse;
    this.#action = action;
    // Most checks have one resource.
    this.#byIndex = count === 1 ? [undefined] : Array.from({ length: count });
  }

  /** Records the answer for one resource. */
  take(plugin: string, answer: unknown, place: number): void {
    if (answer === null || answer === undefined) return;
    if (answer instanceof Promise) {
      this.#pending.push(this.#takeLater(plugin, answer, place));
      return;
    }
    const opinion = recordedOpinion(plugin, answer);
    if (opinion !== null) this.#add(place, opinion);
    else this.#refuse(plugin, place, "its answer is neither true, false nor nothing");
  }

  /** Records the answers for all resources in order. */
  takeMany(plugin: string, answers: unknown): void {
    if (answers === null || answers === undefined) return;
    if (answers instanceof Promise) this.#pending.push(this.#takeManyLater(plugin, answers));
    else if (Array.isArray(answers)) this.#takeList(plugin, answers);
    else this.#each((place) => this.take(plugin, answers, place));
  }

  #takeList(plugin: string, answers: readonly unknown[]): void {
    const count = this.#byIndex.length;
    if (answers.length !== count) this.#log(plugin, `${answers.length} opinions for ${count} resources`);
    this.#each((place) =>
      place < answers.length
        ? this.take(plugin, answers[place], place)
        : this.#deny(plugin, place, "an opinion is missing"),
    );
  }

  /** Synchronous unless a plugin returned a promise. */
  all(): Awaitable<OpinionsByIndex> {
    return this.#pending.length === 0 ? this.#byIndex : this.#afterAll();
  }

  async #afterAll(): Promise<OpinionsByIndex> {
    // A promise may resolve to a list of further promises.
    while (this.#pending.length > 0) await Promise.all(this.#pending.splice(0));
    return this.#byIndex;
  }

  async #takeLater(plugin: string, answer: Promise<unknown>, place: number): Promise<void> {
    try {
      this.take(plugin, await answer, place);
    } catch (error) {
      this.#fail(plugin, place, error);
    }
  }

  async #takeManyLater(plugin: string, answers: Promise<unknown>): Promise<void> {
    try {
      this.takeMany(plugin, await answers);
    } catch (error) {
      this.#each((place) => this.#fail(plugin, place, error));
    }
  }

  #each(visit: (place: number) => void): void {
    for (let place = 0; place < this.#byIndex.length; place += 1) visit(place);
  }

  #add(place: number, opinion: RecordedOpinion): void {
    const before = this.#byIndex[place];
    if (before === undefined) this.#byIndex[place] = [opinion];
    else before.push(opinion);
  }

  #fail(plugin: string, place: number, error: unknown): void {
    const cause = error instanceof PluginError ? error.cause : error;
    const id = cause instanceof Error ? ` (error id ${errorIdOf(cause)})` : "";
    this.#log(plugin, `${messageOf(cause)}${id}`, cause);
    // The message of the error is private.
    this.#deny(plugin, place, `the plugin failed${id}`);
  }

  #refuse(plugin: string, place: number, because: string): void {
    this.#log(plugin, because);
    this.#deny(plugin, place, because);
  }

  #log(plugin: string, reason: string, cause?: unknown): void {
    const where = `Plugin ${plugin} failed in permission_allowed for ${this.#action}`;
    this.#rowhouse.log.error(`${where}: ${reason}`, cause);
  }

  #deny(plugin: string, place: number, because: string): void {
    this.#add(place, { plugin, allowed: false, because });
  }
}

/** The combined opinion: false if any plugin denies; null without opinions. */
export function combinedOpinion(opinions: readonly RecordedOpinion[] | undefined): boolean | null {
  if (opinions === undefined) return null;
  return opinions.every(({ allowed }) => allowed);
}

/** The answer in published form; null if it is no opinion. Its members are read here, where they can fail, and not again. */
function recordedOpinion(plugin: string, answer: unknown): RecordedOpinion | null {
  if (typeof answer === "boolean") return { plugin, allowed: answer, because: null };
  if (!isObject(answer)) return null;
  const { allowed, because } = answer;
  if (typeof allowed !== "boolean") return null;
  return { plugin, allowed, because: typeof because === "string" ? because : null };
}
