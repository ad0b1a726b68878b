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
  #decisions: Decision[] = [];

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
    return this.#decisions.slice(-KEPT_DECISIONS).toReversed();
  }

  decide(actor: Actor | null, action: string, resource: Resource): Promise<Decision> {
    return this.#decide({ actor, action, resource });
  }

  async #decide(question: Question): Promise<Decision> {
    const { actor, action, resource } = question;
    const opinions = new Opinions(this.#rowhouse, action);
    const { permission_allowed } = this.#rowhouse.hooks;
    const take = opinions.take.bind(opinions);
    permission_allowed.call(take, this.#rowhouse, { actor, action, resource });
    const decision = this.#settle({
      actor,
      action,
      resource,
      opinions: await opinions.all(),
      at: new Date(),
    });
    this.#keep([decision]);
    return decision;
  }

  /** The same question about many resources, one call for each plugin. */
  decideMany(actor: Actor | null, action: string, resources: readonly Resource[]): Promise<Decision[]> {
    return this.#decideMany({ actor, action, resources });
  }

  async #decideMany({ actor, action, resources, ...kind }: Questions): Promise<Decision[]> {
    if (resources.length === 0) return [];
    const all = new ManyOpinions(this.#rowhouse, action, resources.length);
    const take = all.take.bind(all);
    this.#rowhouse.hooks.permission_allowed_many.call(take, this.#rowhouse, { actor, action, resources });
    const opinions = await all.all();
    const at = new Date();
    const decisions = resources.map((resource, index) =>
      this.#settle({ actor, action, resource, opinions: opinions[index] ?? NO_OPINIONS, at, ...kind }),
    );
    this.#keep(decisions.length > KEPT_DECISIONS ? decisions.slice(-KEPT_DECISIONS) : decisions);
    return decisions;
  }

  /** @throws Forbidden */
  async ensure(actor: Actor | null, chain: Chain, refusal?: string): Promise<void> {
    for (const [action, resource] of chain) {
      const { opinion } = await this.#decide({ actor, action, resource, inChain: true });
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
      const decisions = await this.#decideMany({ actor, action, resources: asked, inChain: true });
      indexes.forEach((index, at) => (answers[index] = decisions[positions[at] ?? 0]?.opinion ?? null));
    }
    return answers;
  }

  /** With no opinion on any step of a chain the default of its first holds; an empty chain asks nothing. */
  #defaultOf([first]: Chain): boolean {
    return first === undefined || (this.permissions.get(first[0])?.default ?? false);
  }

  #settle(question: Omit<Decision, "opinion" | "allowed" | "usedDefault">): Decision {
    const { action, opinions } = question;
    const opinion = opinions.length === 0 ? null : opinions.every((one) => one.allowed);
    const allowed = opinion ?? this.permissions.get(action)?.default ?? false;
    return { ...question, opinion, allowed, usedDefault: opinion === null };
  }

  #keep(decisions: readonly Decision[]): void {
    this.#decisions.push(...decisions);
    if (this.#decisions.length > 4 * KEPT_DECISIONS) this.#decisions = this.#decisions.slice(-KEPT_DECISIONS);
  }
}

type Question = PermissionCheck & Pick<Decision, "inChain">;
type Questions = PermissionChecks & Pick<Decision, "inChain">;

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
