import { Forbidden, StartupError } from "rowhouse/plugin-api";
import type {
  Actor,
  Chain,
  Decision,
  Permission,
  PermissionDesk,
  RecordedOpinion,
  Resource,
  Rowhouse,
  Visibility,
} from "rowhouse/plugin-api";
import { itemOf, Opinions } from "./opinions.js";

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

  async decide(actor: Actor | null, action: string, resource: Resource): Promise<Decision> {
    const opinions = new Opinions(this.#rowhouse, action);
    const { permission_allowed } = this.#rowhouse.hooks;
    const take = opinions.take.bind(opinions);
    permission_allowed.call(take, this.#rowhouse, { actor, action, resource });
    return this.#settle(actor, action, resource, await opinions.all());
  }

  /** The same question about many resources, one call for each plugin. */
  async decideMany(actor: Actor | null, action: string, resources: readonly Resource[]): Promise<Decision[]> {
    if (resources.length === 0) return [];
    const opinions = resources.map(() => new Opinions(this.#rowhouse, action));
    const arriving: Promise<unknown>[] = [];
    this.#rowhouse.hooks.permission_allowed_many.call(
      (plugin, answers) => {
        if (answers instanceof Promise) arriving.push(answers.catch(() => undefined));
        opinions.forEach((one, index) => one.take(plugin, itemOf(answers, index)));
      },
      this.#rowhouse,
      { actor, action, resources },
    );
    await Promise.all(arriving);
    const settled = await Promise.all(opinions.map((one) => one.all()));
    return resources.map((resource, index) => this.#settle(actor, action, resource, settled[index] ?? []));
  }

  /** @throws Forbidden */
  async ensure(actor: Actor | null, chain: Chain, refusal?: string): Promise<void> {
    for (const [action, resource] of chain) {
      const { opinion } = await this.decide(actor, action, resource);
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

  /** What everybody makes of these questions, each put once. */
  async #ask(actor: Actor | null, questions: Chain): Promise<(boolean | null)[]> {
    const keys = questions.map((question) => JSON.stringify(question));
    const known = new Map<string, boolean | null>();
    for (const action of new Set(questions.map(([name]) => name))) {
      const unique = new Map(questions.map((question, index) => [keys[index] ?? "", question] as const));
      const asked = [...unique].filter(([, [name]]) => name === action);
      const decisions = await this.decideMany(
        actor,
        action,
        asked.map(([, [, resource]]) => resource),
      );
      for (const [index, [key]] of asked.entries()) known.set(key, decisions[index]?.opinion ?? null);
    }
    return keys.map((key) => known.get(key) ?? null);
  }

  /** With no opinion on any step of a chain the default of its first holds; an empty chain asks nothing. */
  #defaultOf([first]: Chain): boolean {
    return first === undefined || (this.permissions.get(first[0])?.default ?? false);
  }

  #settle(
    actor: Actor | null,
    action: string,
    resource: Resource,
    opinions: readonly RecordedOpinion[],
  ): Decision {
    const opinion = opinions.length === 0 ? null : opinions.every(({ allowed }) => allowed);
    const allowed = opinion ?? this.permissions.get(action)?.default ?? false;
    const usedDefault = opinion === null;
    const decision = { actor, action, resource, opinion, allowed, usedDefault, opinions, at: new Date() };
    this.#decisions.push(decision);
    if (this.#decisions.length > 4 * KEPT_DECISIONS) this.#decisions = this.#decisions.slice(-KEPT_DECISIONS);
    return decision;
  }
}

function refuseClash(one: Permission, other: Permission): void {
  const fields = ["name", "abbr", "description", "takes_database", "takes_resource", "default"] as const;
  if (fields.every((field) => (one[field] ?? null) === (other[field] ?? null))) return;
  for (const field of ["name", "abbr"] as const) {
    if (one[field] && one[field] === other[field])
      throw new StartupError(`Duplicate permission ${field}: ${one[field]}`);
  }
}
