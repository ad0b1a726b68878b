export { Kernel } from "./kernel.js";
export type { KernelOptions, PluginInput } from "./options.js";
export { declaredSettings } from "./settings.js";
