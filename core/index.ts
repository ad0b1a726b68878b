export { Kernel, type KernelOptions, type PluginInput } from "./kernel.js";
export { declaredSettings } from "./settings.js";
