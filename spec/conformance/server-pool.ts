import { serveInside } from "./inside.js";
import { removeFolders } from "./profiles.js";
import { startServer, type Server } from "./servers.js";

/** How many servers are started at once: starting is work for one core. */
const STARTED_AT_ONCE = 2;

/** The servers of one run: the real command once per profile for all that only read, a server each for the others. */
export class ServerPool {
  private readonly sharedByProfile = new Map<string, Promise<Server>>();
  /** Profiles that will be used, in order; they are started in advance. */
  private readonly coming: string[];

  /** @param cases what will be replayed, in order */
  constructor(cases: readonly { readonly server: string; readonly fresh: boolean }[]) {
    this.coming = [...new Set(cases.filter(({ fresh }) => !fresh).map(({ server }) => server))];
  }

  /** The server that all reading cases of a profile share; a new one if it has died. */
  async shared(profile: string): Promise<Server> {
    const known = this.sharedByProfile.get(profile);
    if (known !== undefined && (await known).running()) return known;
    const started = this.start(profile);
    for (const next of this.coming.slice(0, STARTED_AT_ONCE - 1)) this.start(next);
    return started;
  }

  /** A server on untouched files. The caller stops it. */
  fresh(profile: string): Promise<Server> {
    return serveInside(profile);
  }

  async close(): Promise<void> {
    const started = await Promise.allSettled(this.sharedByProfile.values());
    await Promise.all(started.map((one) => (one.status === "fulfilled" ? one.value.stop() : null)));
    await removeFolders();
  }

  private start(profile: string): Promise<Server> {
    const started = startServer(profile);
    // Started in advance: the first use of it reports a failure, not the process.
    started.catch(() => null);
    this.sharedByProfile.set(profile, started);
    const place = this.coming.indexOf(profile);
    if (place !== -1) this.coming.splice(place, 1);
    return started;
  }
}
