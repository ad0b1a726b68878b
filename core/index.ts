export { tappedHooks } from "./hooks.js";
export { Kernel } from "./kernel.js";
export type { KernelOptions, PluginInput } from "./options.js";
export { createApp, listen, type ListenOptions, type Server } from "./server.js";
export { declaredSettings } from "./settings.js";
