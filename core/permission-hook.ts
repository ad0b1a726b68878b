import type {
  HookRun,
  PermissionCheck,
  PermissionChecks,
  Rowhouse,
  ReceiveAnswer,
} from "rowhouse/plugin-api";
import { SyncHook } from "tapable";

type Take = ReceiveAnswer<unknown>;
type ManyHook = SyncHook<[Take, Rowhouse, PermissionChecks]>;
type OneHook = SyncHook<[Take, Rowhouse, PermissionCheck]>;
type OneFunction = (take: Take, rowhouse: Rowhouse, check: PermissionCheck) => void;

/**
 * A plugin's function for one resource as one for many. A resource on which it throws gets a failed promise, so that
 * only this question is refused.
 */
export const perResource =
  (run: HookRun): HookRun =>
  (rowhouse, args) => {
    const { resources, ...rest } = args as PermissionChecks;
    return resources.map((resource): unknown => {
      try {
        return run(rowhouse, { ...rest, resource });
      } catch (error) {
        return Promise.reject(error);
      }
    });
  };

/**
 * The hook `permission_allowed` as a second form of `permission_allowed_many`: there is one list of functions behind
 * both. So neither a question about one resource nor one about many can miss a plugin, whichever form it taps.
 */
export function oneResourceForm(many: ManyHook): OneHook {
  const one: OneHook = new SyncHook(["take", "rowhouse", "args"]);
  return Object.assign(one, {
    tap: (options: Parameters<OneHook["tap"]>[0], fn: OneFunction) =>
      many.tap(options, manyResourcesForm(fn)),
    call: (take: Take, rowhouse: Rowhouse, { resource, ...rest }: PermissionCheck) =>
      many.call((plugin, answers) => take(plugin, firstOf(answers)), rowhouse, {
        ...rest,
        resources: [resource],
      }),
    isUsed: () => many.isUsed(),
  });
}

/** A function tapped with tapable's own `tap`: it passes each answer on with the name of its plugin. */
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
      fn(keep, rowhouse, { ...rest, resource });
    }
    for (const [plugin, list] of answers) take(plugin, list);
  };

/** The answer to the only question of a list. An answer that is no list holds for all of them. */
function firstOf(answers: unknown): unknown {
  if (answers instanceof Promise) return answers.then(firstOf);
  return Array.isArray(answers) ? (answers as readonly unknown[])[0] : answers;
}
