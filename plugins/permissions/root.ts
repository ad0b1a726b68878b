import type { Actor, ReasonedOpinion } from "rowhouse/plugin-api";

const ROOT_ACTIONS: ReadonlySet<string> = new Set([
  "permissions-debug",
  "debug-menu",
  "insert-row",
  "create-table",
  "alter-table",
  "drop-table",
  "delete-row",
  "update-row",
]);

/** True for the actor whose id is `root`. */
export const isRoot = (actor: Actor | null): boolean => actor?.id === "root";

/**
 * The actions that the actor `root` is always allowed: writing and debugging.
 *
 * @param mayEverything true if the server denies by default and was started with `--root`
 */
export function rootOpinion(
  actor: Actor | null,
  action: string,
  mayEverything: boolean,
): ReasonedOpinion | null {
  if (!isRoot(actor)) return null;
  if (ROOT_ACTIONS.has(action)) return { allowed: true, because: `the actor root may always ${action}` };
  if (!mayEverything) return null;
  return { allowed: true, because: "the server denies by default and was started with --root" };
}
