// What `import ... from "rowhouse"` gives: the kernel, and the server in front of it.
export * from "../../core/index.js";
export { createApp } from "./app.js";
export { listen, type ListenOptions, type Server } from "./listen.js";
