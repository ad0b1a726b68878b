import { definePlugin } from "rowhouse/plugin-api";
import { render } from "./renderer.js";

/** The bytes of one cell as a file: `.blob?_blob_column=name`. */
export default definePlugin({
  name: "blob",
  register_output_renderer: () => ({
    extension: "blob",
    wants: () => ({ rows: "cells", infinity: "words", parts: new Set(), labels: false, stream: false }),
    render,
  }),
});
