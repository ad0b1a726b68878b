import { AsyncLocalStorage } from "node:async_hooks";
import type { Actor, Rowhouse } from "rowhouse/plugin-api";

type Block = Readonly<Record<string, unknown>>;

interface Granted {
  readonly actor: Actor | null;
  readonly action: "view-table" | "view-query";
  readonly resource: readonly [database: string, name: string];
  /** What the metadata, or the plugin that brought it, says of the view or query itself. */
  readonly block: Block;
}

const asking = new AsyncLocalStorage<true>();

/** True while a grant is looked for: what this plugin itself makes of the view must not count then. */
export const isLookingForGrant = (): boolean => asking.getStore() === true;

/**
 * Is a view or query open to this actor by a rule about itself? That is its own `allow` block, its own
 * `permissions` block, or a plugin that says yes to it. What holds for everything around it is no such rule.
 */
export async function hasOwnGrant(
  rowhouse: Rowhouse,
  { actor, action, resource, block }: Granted,
): Promise<boolean> {
  const decision = await asking.run(true, () => rowhouse.permissions.decide(actor, action, resource));
  if (decision.opinion !== true) return false;
  return (
    speaksOf(block, action) ||
    decision.opinions.some(({ plugin, allowed }) => plugin !== "permissions" && allowed)
  );
}

function speaksOf(block: Block, action: string): boolean {
  if (isSaid(block, "allow")) return true;
  const permissions = Object.hasOwn(block, "permissions") ? block["permissions"] : null;
  return typeof permissions === "object" && permissions !== null && isSaid(permissions as Block, action);
}

const isSaid = (block: Block, key: string): boolean =>
  Object.hasOwn(block, key) && block[key] !== null && block[key] !== undefined;
