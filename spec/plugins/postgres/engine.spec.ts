import type { Kernel } from "rowhouse";
import { bundledPlugins } from "rowhouse/plugins";
import { kernelWith } from "../../harness/bare-kernel.js";
import { describeEngine, traitsOf } from "../../harness/engine/index.js";
import { describePostgres } from "../../harness/postgres.js";

describePostgres("the promises of engines on PostgreSQL", (server) => {
  let kernel: Kernel | null = null;
  let count = 0;
  /** A schema of its own, which is made faster than a database. */
  const open = async () => {
    kernel ??= await kernelWith(bundledPlugins);
    count += 1;
    const name = `engine${count}`;
    await server().run(`create schema ${name}`);
    return kernel.addDatabase({ uri: server().url("postgres", `?schema=${name}`), name, mutable: true });
  };
  describeEngine("A PostgreSQL database", open, traitsOf.postgres);
});
