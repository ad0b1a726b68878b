import type { Actor, Chain, PermissionCheck, Resource, Rowhouse } from "rowhouse/plugin-api";
import { Forbidden } from "rowhouse/plugin-api/errors";
import type { Permissions, PermissionChecks } from "rowhouse/plugin-api/access";
import type { Authorizer } from "rowhouse/plugin-api/contracts";
import type { HookRun, ReceiveAnswer } from "rowhouse/plugin-api/kernel";
import { SyncHook } from "tapable";

/** `rowhouse.permissions`. The service is looked up on each call, since plugins provide it after this is created. */
export const createPermissions = (authorizer: () => Authorizer): Permissions => ({
  get registered() {
    return authorizer().registered;
  },
  get decisions() {
    return authorizer().decisions;
  },
  async allowed(actor: Actor | null, question: string | Chain, resource: Resource = null) {
    if (typeof question === "string") return (await authorizer().decide(actor, question, resource)).allowed;
    return (await authorizer().visible(actor, [question])).includes(true);
  },
  decide: (actor, action, resource = null) => authorizer().decide(actor, action, resource),
  decideMany: (actor, action, resources) => authorizer().decideMany(actor, action, resources),
  visible: (actor, chains) => authorizer().visible(actor, chains),
  require: (actor, chain, refusal) => authorizer().require(actor, chain, refusal),
});

const DENIED = { opinion: false, allowed: false, usedDefault: false, opinions: [] };
/** The authorizer of a server without the plugin `authorization`: denies every permission. */
export const denyAll: Authorizer = {
  registered: new Map(),
  decisions: [],
  register: () => undefined,
  decide: async (actor, action, resource) => ({ actor, action, resource, ...DENIED, at: new Date() }),
  decideMany: (actor, action, resources) =>
    Promise.all(resources.map((resource) => denyAll.decide(actor, action, resource))),
  async require(_actor, chain) {
    if (chain.length > 0) throw new Forbidden("No plugin decides permissions");
  },
  visible: async (_actor, chains) => chains.map(({ length }) => length === 0),
};

/** Receives the result of one plugin. */
export type Take = ReceiveAnswer<unknown>;
type ManyHook = SyncHook<[Take, Rowhouse, PermissionChecks]>;
type OneHook = SyncHook<[Take, Rowhouse, PermissionCheck]>;
type OneFunction = (take: Take, rowhouse: Rowhouse, check: PermissionCheck) => void;

/**
 * Turns a function for one resource into one for many. If it throws for a resource, only this check is denied: its
 * answer is a rejected promise.
 */
export const perResource =
  (run: HookRun): HookRun =>
  (rowhouse, args) => {
    const { resources, ...rest } = args as PermissionChecks;
    return resources.map((resource): unknown => {
      try {
        return run(rowhouse, { resource, ...rest });
      } catch (error) {
        return Promise.reject(error);
      }
    });
  };

/**
 * The hook `permission_allowed` as a view of `permission_allowed_many`. Both share one list of functions, so every
 * check reaches every plugin, whichever of the two hooks it taps.
 */
export function oneResourceForm(many: ManyHook): OneHook {
  const one: OneHook = new SyncHook(["take", "rowhouse", "args"]);
  return Object.assign(one, {
    tap: (options: Parameters<OneHook["tap"]>[0], fn: OneFunction) =>
      many.tap(options, manyResourcesForm(fn)),
    call: (take: Take, rowhouse: Rowhouse, { resource, ...rest }: PermissionCheck) =>
      many.call((plugin, answers) => take(plugin, firstOf(answers)), rowhouse, {
        resources: [resource],
        ...rest,
      }),
    isUsed: () => many.isUsed(),
  });
}

/** Adapts a function that was tapped with tapable's own `tap` and passes each answer to `take`. */
const manyResourcesForm =
  (fn: OneFunction) =>
  (take: Take, rowhouse: Rowhouse, { resources, ...rest }: PermissionChecks): void => {
    const answers = new Map<string, unknown[]>();
    for (const [index, resource] of resources.entries()) {
      const keep: Take = (plugin, answer) => {
        const list = answers.get(plugin) ?? resources.map(() => null);
        list[index] = answer;
        answers.set(plugin, list);
      };
      fn(keep, rowhouse, { resource, ...rest });
    }
    for (const [plugin, list] of answers) take(plugin, list);
  };

/** The answer for the first resource. An answer that is no array holds for all resources. */
function firstOf(answers: unknown): unknown {
  if (answers instanceof Promise) return answers.then(firstOf);
  return Array.isArray(answers) ? (answers as readonly unknown[])[0] : answers;
}
