import type { Kernel, ListenOptions, Server } from "rowhouse";
import type { Log, Rowhouse } from "rowhouse/plugin-api";
import { addressError, type Address } from "../configuration/address.js";

/**
 * Listens, and closes the kernel if that fails.
 *
 * @throws StartupError if the address is in use
 */
export async function startServer(
  kernel: Kernel,
  address: Address,
  more: Pick<ListenOptions, "forwarding"> = {},
): Promise<Server> {
  const { listen } = await import("rowhouse");
  try {
    return await listen(kernel, { ...address, ...more });
  } catch (error) {
    await kernel.close();
    throw isSystemError(error) ? addressError(error, address) : error;
  }
}

/** The one-time login link; null without `--root`. */
export function rootUrl(kernel: Rowhouse, serverUrl: string): string | null {
  const path = kernel.serviceIfAny("login")?.rootUrlPath() ?? null;
  return path === null ? null : serverUrl + kernel.urls.path(path);
}

/**
 * Ends the process by SIGKILL if it is still running then. `process.exit` would wait for the threads of SQLite, and a
 * single SQL function can run for minutes.
 */
export function endAfter(graceMs: number, log: Log): void {
  const timer = setTimeout(() => {
    log.error(`Still busy ${graceMs} ms after the signal to end: killed`);
    process.kill(process.pid, "SIGKILL");
  }, graceMs);
  timer.unref();
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && "syscall" in error;
