import { messageOf, isObject, type Opinion, type Rowhouse } from "rowhouse/plugin-api";
import { errorIdOf, PluginError } from "rowhouse/plugin-api/errors";
import type { RecordedOpinion } from "rowhouse/plugin-api/access";

/** The opinion of one plugin. */
export interface PluginOpinion {
  readonly plugin: string;
  readonly opinion: Opinion;
}

/** The opinions by index of the resource; undefined for resources without opinions, as most are. */
export type OpinionsByIndex = readonly (readonly PluginOpinion[] | undefined)[];

/** Collects the opinions of plugins on resources for one action. A failure is logged and counts as denial. */
export class Opinions {
  readonly #rowhouse: Rowhouse;
  readonly #action: string;
  readonly #said: (PluginOpinion[] | undefined)[];
  readonly #pending: Promise<void>[] = [];

  constructor(rowhouse: Rowhouse, action: string, count: number) {
    this.#rowhouse = rowhouse;
    this.#action = action;
    // Most checks have one resource.
    this.#said = count === 1 ? [undefined] : Array.from({ length: count });
  }

  /** Records the answer for one resource. */
  take(plugin: string, answer: unknown, place = 0): void {
    if (answer === null || answer === undefined) return;
    if (typeof answer === "boolean" || isReasoned(answer)) this.#keep(place, { plugin, opinion: answer });
    else if (answer instanceof Promise) this.#pending.push(this.#arrival(plugin, answer, place));
    else this.#refuse(plugin, place, "its answer is neither true, false nor nothing");
  }

  /** Records the answers for all resources in order. */
  takeMany(plugin: string, answers: unknown): void {
    if (answers === null || answers === undefined) return;
    if (answers instanceof Promise) this.#pending.push(this.#arrivalOfMany(plugin, answers));
    else if (Array.isArray(answers)) {
      const list = answers as readonly unknown[];
      this.#each((place) =>
        this.take(plugin, place < list.length ? list[place] : "an answer is missing", place),
      );
    } else this.#each((place) => this.take(plugin, answers, place));
  }

  /** Synchronous unless a plugin returned a promise. */
  all(): OpinionsByIndex | Promise<OpinionsByIndex> {
    return this.#pending.length === 0 ? this.#said : this.#afterAll();
  }

  async #afterAll(): Promise<OpinionsByIndex> {
    // A promise may resolve to a list of further promises.
    while (this.#pending.length > 0) await Promise.all(this.#pending.splice(0));
    return this.#said;
  }

  async #arrival(plugin: string, answer: Promise<unknown>, place: number): Promise<void> {
    try {
      this.take(plugin, await answer, place);
    } catch (error) {
      this.#fail(plugin, place, error);
    }
  }

  async #arrivalOfMany(plugin: string, answers: Promise<unknown>): Promise<void> {
    try {
      this.takeMany(plugin, await answers);
    } catch (error) {
      this.#each((place) => this.#fail(plugin, place, error));
    }
  }

  #each(visit: (place: number) => void): void {
    for (let place = 0; place < this.#said.length; place += 1) visit(place);
  }

  #keep(place: number, said: PluginOpinion): void {
    const before = this.#said[place];
    if (before === undefined) this.#said[place] = [said];
    else before.push(said);
  }

  #fail(plugin: string, place: number, error: unknown): void {
    const cause = error instanceof PluginError ? error.cause : error;
    const id = cause instanceof Error ? ` (error id ${errorIdOf(cause)})` : "";
    this.#log(plugin, `${messageOf(cause)}${id}`, cause);
    // The message of the error is private.
    this.#keepRefusal(plugin, place, `the plugin failed${id}`);
  }

  #refuse(plugin: string, place: number, because: string): void {
    this.#log(plugin, because);
    this.#keepRefusal(plugin, place, because);
  }

  #log(plugin: string, reason: string, cause?: unknown): void {
    const where = `Plugin ${plugin} failed in permission_allowed for ${this.#action}`;
    this.#rowhouse.log.error(`${where}: ${reason}`, cause);
  }

  #keepRefusal(plugin: string, place: number, because: string): void {
    this.#keep(place, { plugin, opinion: { allowed: false, because } });
  }
}

/** The combined opinion: false if any plugin denies; null without opinions. */
export function opinionOf(said: readonly PluginOpinion[] | undefined): boolean | null {
  if (said === undefined) return null;
  return said.every(({ opinion }) => (typeof opinion === "boolean" ? opinion : opinion.allowed));
}

/** The opinion in published form. */
export const recorded = ({ plugin, opinion }: PluginOpinion): RecordedOpinion =>
  typeof opinion === "boolean"
    ? { plugin, allowed: opinion, because: null }
    : { plugin, allowed: opinion.allowed, because: opinion.because };

const isReasoned = (answer: unknown): answer is Exclude<Opinion, boolean> =>
  isObject(answer) && typeof answer["allowed"] === "boolean";
