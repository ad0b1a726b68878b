import {
  Forbidden,
  StartupError,
  type Actor,
  type Awaitable,
  type Chain,
  type Decision,
  type Permission,
  type PermissionCheck,
  type Resource,
  type Rowhouse,
} from "rowhouse/plugin-api";
import type { PermissionChecks } from "rowhouse/plugin-api/access";
import type { Authorizer } from "rowhouse/plugin-api/contracts";
import { opinionOf, Opinions, recorded } from "./opinions.js";
import type { PluginOpinion, OpinionsByIndex } from "./opinions.js";

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

  /** @throws StartupError if two different permissions share a name or an abbreviation */
  register(permissions: readonly Permission[]): void {
    for (const permission of permissions) {
      for (const other of this.registered.values()) refuseClash(other, permission);
      this.registered.set(permission.name, permission);
    }
  }

  /** The latest decisions, newest first. */
  get decisions(): readonly Decision[] {
    const all = this.#kept.flatMap(({ decisions }) => decisions());
    return all.slice(-KEPT_DECISIONS).toReversed();
  }

  async decide(actor: Actor | null, action: string, resource: Resource): Promise<Decision> {
    return this.#decide({ actor, action, resource }, ALONE);
  }

  /** Synchronous unless a plugin returns a promise, since pages run several checks before they start. */
  #decide(question: PermissionCheck, kind: Kind): Awaitable<Decision> {
    const opinions = new Opinions(this.#rowhouse, question.action, 1);
    const { actor, action, resource } = question;
    const take = (plugin: string, answers: unknown): void => opinions.takeMany(plugin, answers);
    this.#rowhouse.hooks.permission_allowed_many.call(take, this.#rowhouse, {
      actor,
      action,
      resources: [resource],
    });
    const settle = ([said]: OpinionsByIndex): Decision => {
      const decision = this.#settle(question, said, kind);
      this.#keep(1, () => [decision]);
      return decision;
    };
    const all = opinions.all();
    return all instanceof Promise ? all.then(settle) : settle(all);
  }

  async #opinions(questions: PermissionChecks): Promise<OpinionsByIndex> {
    const { action, resources } = questions;
    if (resources.length === 0) return [];
    const opinions = new Opinions(this.#rowhouse, action, resources.length);
    const take = (plugin: string, answers: unknown): void => opinions.takeMany(plugin, answers);
    this.#rowhouse.hooks.permission_allowed_many.call(take, this.#rowhouse, questions);
    return opinions.all();
  }

  /** @throws Forbidden */
  async require(actor: Actor | null, chain: Chain, refusal?: string): Promise<void> {
    for (const [action, resource] of chain) {
      const decided = this.#decide({ actor, action, resource }, IN_CHAIN);
      const { opinion } = decided instanceof Promise ? await decided : decided;
      if (opinion === true) return;
      if (opinion === false) throw new Forbidden(refusal ?? action);
    }
    if (!this.#defaultOf(chain)) throw new Forbidden(refusal ?? chain[0]?.[0] ?? "");
  }

  /** Decides all chains step by step. Checks of one step with the same action run together. */
  async visible(actor: Actor | null, chains: readonly Chain[]): Promise<boolean[]> {
    const passed = Array.from<boolean | null>({ length: chains.length }).fill(null);
    let open = [...chains.keys()];
    for (let step = 0; open.length > 0; step++) {
      for (const [action, asked] of questionsAt(step, chains, open)) {
        const opinions = await this.#stepMany({ actor, action, resources: asked.resources });
        for (const [index, chain] of asked.chains.entries()) {
          passed[chain] = opinions[asked.places[index] ?? 0] ?? null;
        }
      }
      open = open.filter((chain) => passed[chain] === null && step + 1 < (chains[chain]?.length ?? 0));
    }
    return passed.map((opinion, index) => opinion ?? this.#defaultOf(chains[index] ?? []));
  }

  /** The opinions on many resources. Decisions are built only when they are shown. */
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
        this.#settle({ actor, action, resource: one }, all[index], { ...IN_CHAIN, at }),
      ),
    );
    return all.map(opinionOf);
  }

  /** The default of a chain is that of its first step. An empty chain allows. */
  #defaultOf([first]: Chain): boolean {
    return first === undefined || (this.registered.get(first[0])?.default ?? false);
  }

  #settle(
    { actor, action, resource }: PermissionCheck,
    said: readonly PluginOpinion[] | undefined,
    kind: Kind,
  ): Decision {
    const opinion = opinionOf(said);
    const allowed = opinion ?? this.registered.get(action)?.default ?? false;
    const usedDefault = opinion === null;
    const opinions = said?.map(recorded) ?? [];
    return { actor, action, resource, opinion, allowed, usedDefault, opinions, at: new Date(), ...kind };
  }

  /** Records checks. Decisions are built only when they are shown, since lists run thousands of checks. */
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

/** Checks that ran together. */
interface Batch {
  readonly count: number;
  readonly decisions: () => readonly Decision[];
}

type Kind = Pick<Decision, "inChain"> & Partial<Pick<Decision, "at">>;
const ALONE: Kind = {};
const IN_CHAIN: Kind = { inChain: true };

function refuseClash(one: Permission, other: Permission): void {
  const fields = ["name", "abbr", "description", "takes_database", "takes_resource", "default"] as const;
  if (fields.every((field) => (one[field] ?? null) === (other[field] ?? null))) return;
  for (const field of ["name", "abbr"] as const) {
    if (one[field] && one[field] === other[field])
      throw new StartupError(`Duplicate permission ${field}: ${one[field]}`);
  }
}

/** The checks of one action at one step. */
interface Asked {
  readonly resources: Resource[];
  /** Indexes of the chains. */
  readonly chains: number[];
  /** For each chain the index of its resource. */
  readonly places: number[];
  readonly seen: Map<string | null, number>;
}

/**
 * The checks of the open chains at one step, by action. The check of the instance or a database runs once, also if
 * thousands of chains contain it.
 */
export function questionsAt(
  step: number,
  chains: readonly Chain[],
  open: readonly number[],
): ReadonlyMap<string, Asked> {
  const byAction = new Map<string, Asked>();
  for (const chain of open) {
    const question = chains[chain]?.[step];
    if (question === undefined) continue;
    const [action, resource] = question;
    let asked = byAction.get(action);
    if (asked === undefined) {
      asked = { resources: [], chains: [], places: [], seen: new Map() };
      byAction.set(action, asked);
    }
    asked.chains.push(chain);
    asked.places.push(placeOf(resource, asked));
  }
  return byAction;
}

/** The index of a resource, which is added if it is new. Pairs are not deduplicated: they are rarely repeated. */
function placeOf(resource: Resource, { resources, seen }: Asked): number {
  const isPair = resource !== null && typeof resource !== "string";
  const before = isPair ? undefined : seen.get(resource);
  if (before !== undefined) return before;
  if (!isPair) seen.set(resource, resources.length);
  return resources.push(resource) - 1;
}
