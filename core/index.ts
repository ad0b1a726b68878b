export { tappedHooks } from "./hooks.js";
export { Kernel } from "./kernel.js";
export type { KernelOptions, PluginInput } from "./options.js";
export { makeRequest } from "./request.js";
export { declaredSettings } from "./settings.js";
