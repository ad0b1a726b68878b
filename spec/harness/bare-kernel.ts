import { Kernel, type KernelOptions } from "rowhouse";
import type { Plugin } from "rowhouse/plugin-api";
import { closeWhenDone } from "./lifetimes.js";

/** The secret of kernels for which a spec gives no other. */
export const SECRET = "a secret for specs, long enough for every check";

/** A kernel with these plugins and no others. */
export async function kernelWith(
  plugins: readonly Plugin[],
  more: Partial<KernelOptions> = {},
): Promise<Kernel> {
  const inputs = plugins.map((plugin) => ({ plugin }));
  const kernel = await Kernel.open({ plugins: inputs, secrets: [SECRET], ...more });
  closeWhenDone(kernel);
  return kernel;
}
