import {
  Forbidden,
  type Actor,
  type Decision,
  type PermissionDesk,
  type Resource,
} from "rowhouse/plugin-api";

const refusal = (actor: Actor | null, action: string, resource: Resource): Decision => {
  const settled = { opinion: false, allowed: false, usedDefault: false, opinions: [], at: new Date() };
  return { actor, action, resource, ...settled };
};

/** Where no plugin settles permissions, whatever needs one is refused. */
export const closedDesk: PermissionDesk = {
  permissions: new Map(),
  decisions: [],
  register: () => undefined,
  decide: async (actor, action, resource) => refusal(actor, action, resource),
  decideMany: async (actor, action, resources) =>
    resources.map((resource) => refusal(actor, action, resource)),
  async ensure(_actor, chain) {
    if (chain.length > 0) throw new Forbidden("No plugin decides permissions");
  },
  visibilityMany: async (_actor, chains) =>
    chains.map(({ length }) => ({ visible: length === 0, private: false })),
};
