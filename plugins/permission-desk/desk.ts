import { Forbidden, StartupError } from "rowhouse/plugin-api";
import type {
  Actor,
  Chain,
  Decision,
  Permission,
  PermissionCheck,
  PermissionChecks,
  PermissionDesk,
  RecordedOpinion,
  Resource,
  Rowhouse,
  Visibility,
} from "rowhouse/plugin-api";
import { ManyOpinions, Opinions } from "./opinions.js";

const KEPT_DECISIONS = 200;

/** Puts permission questions to every plugin and makes one answer of theirs. It knows no permission by name. */
export class OneNoWins implements PermissionDesk {
  readonly permissions = new Map<string, Permission>();
  readonly #rowhouse: Rowhouse;
  readonly #kept: Batch[] = [];
  #keptCount = 0;

  constructor(rowhouse: Rowhouse) {
    this.#rowhouse = rowhouse;
  }

  /** @throws StartupError when two different permissions share a name or an abbreviation */
  register(permissions: readonly Permission[]): void {
    for (const permission of permissions) {
      for (const other of this.permissions.values()) refuseClash(other, permission);
      this.permissions.set(permission.name, permission);
    }
  }

  /** The last questions, newest first. */
  get decisions(): readonly Decision[] {
    const all = this.#kept.flatMap(({ decisions }) => decisions());
    return all.slice(-KEPT_DECISIONS).toReversed();
  }

  decide(actor: Actor | null, action: string, resource: Resource): Promise<Decision> {
    return this.#decide({ actor, action, resource }, ALONE);
  }

  async #decide(question: PermissionCheck, kind: Kind): Promise<Decision> {
    const opinions = new Opinions(this.#rowhouse, question.action);
    const take = opinions.take.bind(opinions);
    this.#rowhouse.hooks.permission_allowed.call(take, this.#rowhouse, question);
    const decision = this.#settle(question, await opinions.all(), kind);
    this.#keep(1, () => [decision]);
    return decision;
  }

  /** The same question about many resources, one call for each plugin. */
  async decideMany(actor: Actor | null, action: string, resources: readonly Resource[]): Promise<Decision[]> {
    const all = await this.#opinions({ actor, action, resources });
    const decisions = resources.map((resource, index) =>
      this.#settle({ actor, action, resource }, all[index] ?? NO_OPINIONS, ALONE),
    );
    this.#keep(decisions.length, () => decisions);
    return decisions;
  }

  async #opinions(questions: PermissionChecks): Promise<readonly (readonly RecordedOpinion[] | undefined)[]> {
    const { action, resources } = questions;
    if (resources.length === 0) return [];
    const all = new ManyOpinions(this.#rowhouse, action, resources.length);
    const take = all.take.bind(all);
    this.#rowhouse.hooks.permission_allowed_many.call(take, this.#rowhouse, questions);
    return all.all();
  }

  /** @throws Forbidden */
  async ensure(actor: Actor | null, chain: Chain, refusal?: string): Promise<void> {
    for (const [action, resource] of chain) {
      const { opinion } = await this.#decide({ actor, action, resource }, IN_CHAIN);
      if (opinion === true) return;
      if (opinion === false) throw new Forbidden(refusal ?? action);
    }
    if (!this.#defaultOf(chain)) throw new Forbidden(refusal ?? chain[0]?.[0] ?? "");
  }

  async visibilityMany(actor: Actor | null, chains: readonly Chain[]): Promise<Visibility[]> {
    const visible = await this.#passes(actor, chains);
    const open = actor === null ? visible : await this.#passes(null, chains);
    return visible.map((passes, index) => ({ visible: passes, private: passes && open[index] === false }));
  }

  /** Many chains step by step: those still open at a step ask their questions together. */
  async #passes(actor: Actor | null, chains: readonly Chain[]): Promise<boolean[]> {
    const passed = new Map<Chain, boolean>();
    for (let step = 0; ; step++) {
      const asking = chains.filter((chain) => step < chain.length && !passed.has(chain));
      if (asking.length === 0) return chains.map((chain) => passed.get(chain) ?? this.#defaultOf(chain));
      const opinions = await this.#ask(
        actor,
        asking.map((chain) => chain[step] ?? ["", null]),
      );
      for (const [index, chain] of asking.entries()) {
        const opinion = opinions[index] ?? null;
        if (opinion !== null) passed.set(chain, opinion);
      }
    }
  }

  /** What everybody makes of these questions. The same one about an instance or a database is put once. */
  async #ask(actor: Actor | null, questions: Chain): Promise<(boolean | null)[]> {
    const places = new Map<string, number[]>();
    questions.forEach(([action], index) => {
      const known = places.get(action);
      if (known === undefined) places.set(action, [index]);
      else known.push(index);
    });
    const answers = Array.from<boolean | null>({ length: questions.length }).fill(null);
    for (const [action, indexes] of places) {
      const asked: Resource[] = [];
      const seen = new Map<string | null, number>();
      const positions = indexes.map((index) => positionOf(questions[index]?.[1] ?? null, asked, seen));
      const opinions = await this.#stepMany({ actor, action, resources: asked });
      indexes.forEach((index, at) => (answers[index] = opinions[positions[at] ?? 0] ?? null));
    }
    return answers;
  }

  /** Of thousands of steps only those that are kept become decisions. */
  async #stepMany(questions: PermissionChecks): Promise<readonly (boolean | null)[]> {
    const { actor, action, resources } = questions;
    const [resource] = resources;
    if (resources.length === 1 && resource !== undefined) {
      return [(await this.#decide({ actor, action, resource }, IN_CHAIN)).opinion];
    }
    const all = await this.#opinions(questions);
    const at = new Date();
    this.#keep(resources.length, () =>
      resources.map((one, index) =>
        this.#settle({ actor, action, resource: one }, all[index] ?? NO_OPINIONS, { ...IN_CHAIN, at }),
      ),
    );
    return all.map((opinions) => opinionOf(opinions ?? NO_OPINIONS));
  }

  /** With no opinion on any step of a chain the default of its first holds; an empty chain asks nothing. */
  #defaultOf([first]: Chain): boolean {
    return first === undefined || (this.permissions.get(first[0])?.default ?? false);
  }

  #settle(
    { actor, action, resource }: PermissionCheck,
    opinions: readonly RecordedOpinion[],
    kind: Kind,
  ): Decision {
    const opinion = opinionOf(opinions);
    const allowed = opinion ?? this.permissions.get(action)?.default ?? false;
    const usedDefault = opinion === null;
    return { actor, action, resource, opinion, allowed, usedDefault, opinions, at: new Date(), ...kind };
  }

  /** Questions become decisions when somebody looks at them: lists ask thousands. */
  #keep(count: number, decisions: () => readonly Decision[]): void {
    this.#kept.push({ count, decisions });
    this.#keptCount += count;
    for (let oldest = this.#kept[0]; oldest !== undefined; oldest = this.#kept[0]) {
      if (this.#keptCount - oldest.count < KEPT_DECISIONS) return;
      this.#kept.shift();
      this.#keptCount -= oldest.count;
    }
  }
}

/** Questions that were put together. */
interface Batch {
  readonly count: number;
  readonly decisions: () => readonly Decision[];
}

type Kind = Pick<Decision, "inChain"> & Partial<Pick<Decision, "at">>;
const ALONE: Kind = {};
const IN_CHAIN: Kind = { inChain: true };

/** One no beats any number of yeses. */
const opinionOf = (opinions: readonly RecordedOpinion[]): boolean | null =>
  opinions.length === 0 ? null : opinions.every(({ allowed }) => allowed);

const NO_OPINIONS: readonly RecordedOpinion[] = [];

/** Where a resource stands among those asked about; it is added unless it is there. Pairs hardly ever come twice. */
function positionOf(resource: Resource, asked: Resource[], seen: Map<string | null, number>): number {
  const isPair = resource !== null && typeof resource !== "string";
  const before = isPair ? undefined : seen.get(resource);
  if (before !== undefined) return before;
  if (!isPair) seen.set(resource, asked.length);
  return asked.push(resource) - 1;
}

function refuseClash(one: Permission, other: Permission): void {
  const fields = ["name", "abbr", "description", "takes_database", "takes_resource", "default"] as const;
  if (fields.every((field) => (one[field] ?? null) === (other[field] ?? null))) return;
  for (const field of ["name", "abbr"] as const) {
    if (one[field] && one[field] === other[field])
      throw new StartupError(`Duplicate permission ${field}: ${one[field]}`);
  }
}
