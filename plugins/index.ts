import type { Plugin } from "rowhouse/plugin-api";
import permissions from "./permissions/index.js";

/** The bundled plugins in firing order: the product's table of contents. */
export const bundledPlugins: readonly Plugin[] = [permissions];
