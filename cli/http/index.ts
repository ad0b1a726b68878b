// The exports of `rowhouse`: the kernel, and the server for it.
export * from "../../core/index.js";
export { createApp } from "./app.js";
export { Forwarder } from "./forward.js";
export { listen, type ListenOptions, type Server } from "./listen.js";
