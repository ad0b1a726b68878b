import {
  Forbidden,
  type Actor,
  type Awaitable,
  type Chain,
  type Decision,
  type Permission,
  type PermissionCheck,
  type Resource,
  type Rowhouse,
} from "rowhouse/plugin-api";
import type { PermissionChecks, RecordedOpinion } from "rowhouse/plugin-api/access";
import type { Authorizer } from "rowhouse/plugin-api/contracts";
import { chainOpinions } from "./many-chains.js";
import { combinedOpinion, Opinions, type OpinionsByIndex } from "./opinions.js";
import { refuseClash, refuseInvalid } from "./permission-records.js";

const KEPT_DECISIONS = 200;

/** Decides permission checks from the opinions of all plugins: one denial overrides any number of grants. */
export class DenyOverrides implements Authorizer {
  readonly registered = new Map<string, Permission>();
  readonly #rowhouse: Rowhouse;
  readonly #kept: Batch[] = [];
  #keptCount = 0;

  constructor(rowhouse: Rowhouse) {
    this.#rowhouse = rowhouse;
  }

  /** @throws StartupError if one is not a permission, or two different ones share a name or an abbreviation */
  register(permissions: readonly Permission[]): void {
    const pluginOf = (permission: Permission): string | null => this.#rowhouse.pluginOf(permission);
    for (const permission of permissions) {
      refuseInvalid(permission);
      for (const other of this.registered.values()) refuseClash(other, permission, pluginOf);
      this.registered.set(permission.name, permission);
    }
  }

  /** The latest decisions, newest first. */
  get decisions(): readonly Decision[] {
    const all = this.#kept.flatMap(({ decisions }) => decisions());
    return all.slice(-KEPT_DECISIONS).toReversed();
  }

  async decide(actor: Actor | null, action: string, resource: Resource): Promise<Decision> {
    const [opinions] = await this.#ask({ actor, action, resources: [resource] });
    const decision = this.#settle({ actor, action, resource }, opinions, { at: new Date() });
    this.#keep(1, () => [decision]);
    return decision;
  }

  async decideMany(
    actor: Actor | null,
    action: string,
    resources: readonly Resource[],
  ): Promise<readonly Decision[]> {
    const all = await this.#ask({ actor, action, resources });
    const decisions = resources.map((resource, index) =>
      this.#settle({ actor, action, resource }, all[index], { at: new Date() }),
    );
    this.#keep(decisions.length, () => decisions);
    return decisions;
  }

  /**
   * The opinion on one step of a chain. Synchronous unless a plugin returns a promise, since pages run several checks
   * before they start.
   */
  #opinion(question: PermissionCheck): Awaitable<boolean | null> {
    const { actor, action, resource } = question;
    const settle = ([opinions]: OpinionsByIndex): boolean | null => {
      const atMs = Date.now();
      this.#keep(1, () => [this.#settle(question, opinions, { inChain: true, at: new Date(atMs) })]);
      return combinedOpinion(opinions);
    };
    const all = this.#ask({ actor, action, resources: [resource] });
    return all instanceof Promise ? all.then(settle) : settle(all);
  }

  #ask(questions: PermissionChecks): Awaitable<OpinionsByIndex> {
    const opinions = new Opinions(this.#rowhouse, questions.action, questions.resources.length);
    const take = (plugin: string, answers: unknown): void => opinions.takeMany(plugin, answers);
    this.#rowhouse.hooks.permission_allowed_many.call(take, this.#rowhouse, questions);
    return opinions.all();
  }

  /** @throws Forbidden */
  async require(actor: Actor | null, chain: Chain, refusal?: string): Promise<void> {
    const denied = await this.#deniedAction(actor, chain);
    if (denied !== null) throw new Forbidden(refusal ?? denied);
  }

  /** The action for which a chain denies the actor; null if the chain allows. The first opinion decides. */
  async #deniedAction(actor: Actor | null, chain: Chain): Promise<string | null> {
    for (const [action, resource] of chain) {
      const asked = this.#opinion({ actor, action, resource });
      const opinion = asked instanceof Promise ? await asked : asked;
      if (opinion !== null) return opinion ? null : action;
    }
    return this.#defaultOf(chain) ? null : (chain[0]?.[0] ?? "");
  }

  async visible(actor: Actor | null, chains: readonly Chain[]): Promise<boolean[]> {
    const [only] = chains;
    if (only !== undefined && chains.length === 1) return [(await this.#deniedAction(actor, only)) === null];
    const opinions = await chainOpinions(chains, (action, resources) =>
      this.#stepMany({ actor, action, resources }),
    );
    return opinions.map((opinion, index) => opinion ?? this.#defaultOf(chains[index] ?? []));
  }

  /** The opinions on many resources. Decisions are built only when they are shown. */
  async #stepMany(questions: PermissionChecks): Promise<readonly (boolean | null)[]> {
    const { actor, action, resources } = questions;
    const [resource] = resources;
    if (resources.length === 1 && resource !== undefined)
      return [await this.#opinion({ actor, action, resource })];
    const all = await this.#ask(questions);
    const at = new Date();
    this.#keep(resources.length, () =>
      resources.map((one, index) =>
        this.#settle({ actor, action, resource: one }, all[index], { inChain: true, at }),
      ),
    );
    return all.map(combinedOpinion);
  }

  /** The default of a chain is that of its first step. An empty chain allows. */
  #defaultOf([first]: Chain): boolean {
    return first === undefined || (this.registered.get(first[0])?.default ?? false);
  }

  #settle(
    { actor, action, resource }: PermissionCheck,
    opinions: readonly RecordedOpinion[] | undefined,
    kind: Kind,
  ): Decision {
    const opinion = combinedOpinion(opinions);
    const allowed = opinion ?? this.registered.get(action)?.default ?? false;
    const usedDefault = opinion === null;
    return {
      actor,
      action,
      resource,
      opinion,
      allowed,
      usedDefault,
      opinions: opinions ?? [],
      ...kind,
    };
  }

  /** Records checks. Decisions are built only when they are shown, since lists run thousands of checks. */
  #keep(count: number, decisions: () => readonly Decision[]): void {
    this.#kept.push({ count, decisions });
    this.#keptCount += count;
    if (this.#keptCount >= 2 * KEPT_DECISIONS) this.#dropOldest();
  }

  /** Many at once, because to remove one from the front of a list moves all others. */
  #dropOldest(): void {
    let first = 0;
    for (const { count } of this.#kept) {
      if (this.#keptCount - count < KEPT_DECISIONS) break;
      this.#keptCount -= count;
      first += 1;
    }
    this.#kept.splice(0, first);
  }
}

/** Checks that ran together. */
interface Batch {
  readonly count: number;
  readonly decisions: () => readonly Decision[];
}

type Kind = Pick<Decision, "inChain" | "at">;
