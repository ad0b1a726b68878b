// The kernel's own hooks, settings and checks, for plugins that inspect or wrap other plugins.
export * from "./define-hooks.js";
export { checkedDefinition, definitionMistake, setUpHooks } from "./definition-mistake.js";
export * from "./hook-results.js";
export * from "./hooks.js";
export * from "./kernel-hooks.js";
export * from "./plugin.js";
export * from "./reloads.js";
export * from "./reported-caches.js";
export type * from "./rowhouse.js";
export * from "./settings.js";
export * from "./taps.js";
