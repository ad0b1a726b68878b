import { serveInside } from "./inside.js";
import { profile, removeFolders } from "./profiles.js";
import { startServer, type Server } from "./servers.js";

/** How many servers are started at once: starting is work for one core. */
const STARTED_AT_ONCE = 2;

/** Profiles of so many reading cases are served by the real command; its start takes as long as ten of them. */
const CASES_OF_COMMAND = 40;

/**
 * The servers of one run: one for each profile for all that only read, a server each for the others. Those for most of
 * the cases, and those with flags, are the real command in a process of its own.
 */
export class ServerPool {
  private readonly sharedByProfile = new Map<string, Promise<Server>>();
  /** Profiles that will be used, in order; they are started in advance. */
  private readonly coming: string[];
  private readonly byCommand: ReadonlySet<string>;

  /** @param cases what will be replayed, in order */
  constructor(cases: readonly { readonly server: string; readonly fresh: boolean }[]) {
    const profiles = cases.filter(({ fresh }) => !fresh).map(({ server }) => server);
    const casesOf = (name: string): number => profiles.filter((one) => one === name).length;
    this.coming = [...new Set(profiles)];
    this.byCommand = new Set(
      this.coming.filter((name) => profile(name).flags !== undefined || casesOf(name) >= CASES_OF_COMMAND),
    );
  }

  /** The server that all reading cases of a profile share; a new one if it has died. */
  async shared(name: string): Promise<Server> {
    const known = this.sharedByProfile.get(name);
    if (known !== undefined && (await known).running()) return known;
    const started = this.start(name);
    for (const next of this.coming.slice(0, STARTED_AT_ONCE - 1)) this.start(next);
    return started;
  }

  /** A server on untouched files. The caller stops it. */
  fresh(name: string): Promise<Server> {
    return serveInside(name);
  }

  async close(): Promise<void> {
    const started = await Promise.allSettled(this.sharedByProfile.values());
    await Promise.all(started.map((one) => (one.status === "fulfilled" ? one.value.stop() : null)));
    await removeFolders();
  }

  private start(name: string): Promise<Server> {
    const started = this.byCommand.has(name) ? startServer(name) : serveInside(name);
    // Started in advance: the first use of it reports a failure, not the process.
    started.catch(() => null);
    this.sharedByProfile.set(name, started);
    const place = this.coming.indexOf(name);
    if (place !== -1) this.coming.splice(place, 1);
    return started;
  }
}
