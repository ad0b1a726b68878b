import type { Chain, Resource } from "rowhouse/plugin-api";

/** The opinions on resources for one action, in order: true, false, or null for no opinion. */
export type Decide = (action: string, resources: readonly Resource[]) => Promise<readonly (boolean | null)[]>;

/**
 * Decides many chains step by step: for each the first opinion, or null. Checks of one step with the same action run
 * together.
 */
export async function chainOpinions(
  chains: readonly Chain[],
  decide: Decide,
): Promise<readonly (boolean | null)[]> {
  const passed = Array.from<boolean | null>({ length: chains.length }).fill(null);
  let open = [...chains.keys()];
  for (let step = 0; open.length > 0; step++) {
    for (const [action, asked] of questionsAt(step, chains, open)) {
      const opinions = await decide(action, asked.resources);
      for (const [index, chain] of asked.chains.entries()) {
        passed[chain] = opinions[asked.places[index] ?? 0] ?? null;
      }
    }
    open = open.filter((chain) => passed[chain] === null && step + 1 < (chains[chain]?.length ?? 0));
  }
  return passed;
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
function questionsAt(
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
