import {
  Forbidden,
  type Actor,
  type Chain,
  type Authorizer,
  type Permissions,
  type Resource,
} from "rowhouse/plugin-api";

/** `rowhouse.permissions` over the service that decides. It is looked up per call, since plugins provide it later. */
export const createPermissions = (authorizer: () => Authorizer): Permissions => ({
  get registered() {
    return authorizer().registered;
  },
  get decisions() {
    return authorizer().decisions;
  },
  async allowed(actor: Actor | null, question: string | Chain, resource: Resource = null) {
    if (typeof question === "string") return (await authorizer().decide(actor, question, resource)).allowed;
    const [visible] = await authorizer().visible(actor, [question]);
    return visible === true;
  },
  decide: (actor, action, resource = null) => authorizer().decide(actor, action, resource),
  visible: (actor, chains) => authorizer().visible(actor, chains),
  require: (actor, chain, refusal) => authorizer().require(actor, chain, refusal),
});

/** Used where no plugin decides permissions: everything that needs one is denied. */
export const denyAll: Authorizer = {
  registered: new Map(),
  decisions: [],
  register: () => undefined,
  decide: async (actor, action, resource) => {
    const denied = { opinion: false, allowed: false, usedDefault: false, opinions: [], at: new Date() };
    return { actor, action, resource, ...denied };
  },
  async require(_actor, chain) {
    if (chain.length > 0) throw new Forbidden("No plugin decides permissions");
  },
  visible: async (_actor, chains) => chains.map(({ length }) => length === 0),
};
