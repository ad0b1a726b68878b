import type { Chain, Resource } from "rowhouse/plugin-api";

/** One action, the resources it is asked about, and the chains that wait for the answers. */
interface Asked {
  readonly resources: Resource[];
  /** By their place in the list of chains. */
  readonly chains: number[];
  /** For each of those chains, where its resource stands among the resources. */
  readonly places: number[];
  readonly seen: Map<string | null, number>;
}

/**
 * The questions of the open chains at one step, by action. The same one about the instance or a database, in which
 * thousands of chains may end, is put once.
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

/** Where a resource stands among those asked about; it is added unless it is there. Pairs hardly ever come twice. */
function placeOf(resource: Resource, { resources, seen }: Asked): number {
  const isPair = resource !== null && typeof resource !== "string";
  const before = isPair ? undefined : seen.get(resource);
  if (before !== undefined) return before;
  if (!isPair) seen.set(resource, resources.length);
  return resources.push(resource) - 1;
}
