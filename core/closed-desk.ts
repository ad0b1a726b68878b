import { Forbidden, type PermissionDesk } from "rowhouse/plugin-api";

const REFUSED = { opinion: false, allowed: false, usedDefault: false, opinions: [] } as const;

/** Where no plugin settles permissions, whatever needs one is refused. */
export const closedDesk: PermissionDesk = {
  permissions: new Map(),
  decisions: [],
  register: () => undefined,
  decide: async (actor, action, resource) => ({ actor, action, resource, ...REFUSED, at: new Date() }),
  decideMany: async (actor, action, resources) =>
    resources.map((resource) => ({ actor, action, resource, ...REFUSED, at: new Date() })),
  async ensure(_actor, chain) {
    if (chain.length > 0) throw new Forbidden("No plugin decides permissions");
  },
  visibleMany: async (_actor, chains) => chains.map(({ length }) => length === 0),
  visibilityMany: async (_actor, chains) =>
    chains.map(({ length }) => ({ visible: length === 0, private: false })),
};
