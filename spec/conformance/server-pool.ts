import type { Case } from "./cases.js";
import { removeFolders } from "./profiles.js";
import { startServer, type Server } from "./servers.js";

/** How many servers for cases that change data are started ahead: as many as the machine starts meanwhile. */
const AHEAD = 2;

/** The servers of one run. Cases that only read share one per profile; the others get one each. */
export class ServerPool {
  private readonly sharedByProfile = new Map<string, Promise<Server>>();
  private readonly waitingByProfile = new Map<string, Promise<Server>[]>();
  /** How many fresh servers of a profile will still be asked for, so that none is started in vain. */
  private readonly remaining = new Map<string, number>();

  constructor(cases: readonly Case[]) {
    for (const { fresh, server } of cases) {
      if (fresh) this.remaining.set(server, (this.remaining.get(server) ?? 0) + 1);
    }
  }

  /** The server that all reading cases of a profile share; a new one if it has died. */
  async shared(profile: string): Promise<Server> {
    const known = this.sharedByProfile.get(profile);
    if (known !== undefined && (await known).running()) return known;
    const started = startServer(profile);
    this.sharedByProfile.set(profile, started);
    return started;
  }

  /** A server on untouched files. The caller stops it. */
  async fresh(profile: string): Promise<Server> {
    const left = this.remaining.get(profile) ?? 1;
    this.remaining.set(profile, left - 1);
    const waiting = this.waitingByProfile.get(profile) ?? [];
    this.waitingByProfile.set(profile, waiting);
    while (waiting.length < Math.min(left, AHEAD + 1)) waiting.push(start(profile));
    return waiting.shift() ?? startServer(profile);
  }

  async close(): Promise<void> {
    const all = [...this.sharedByProfile.values(), ...[...this.waitingByProfile.values()].flat()];
    const started = await Promise.allSettled(all);
    await Promise.all(started.map((one) => (one.status === "fulfilled" ? one.value.stop() : null)));
    await removeFolders();
  }
}

function start(profile: string): Promise<Server> {
  const started = startServer(profile);
  // Started ahead: its failure is told to whoever takes it, not to the process.
  started.catch(() => null);
  return started;
}
