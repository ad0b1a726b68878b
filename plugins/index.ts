import type { Plugin } from "rowhouse/plugin-api";
import cors from "./cors/index.js";
import errors from "./errors/index.js";
import json from "./json/index.js";
import permissions from "./permissions/index.js";
import redirects from "./redirects/index.js";

/** The bundled plugins in firing order: the product's table of contents. */
export const bundledPlugins: readonly Plugin[] = [permissions, json, cors, redirects, errors];
