import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, parse } from "node:path";
import { bundledPlugins } from "rowhouse/plugins";
import type { ReusedServers } from "./examine.js";
import { kernelWith } from "../harness/bare-kernel.js";
import type { PostgresServer } from "../harness/postgres.js";
import { serveInside } from "./inside.js";
import { profileFolder } from "./profiles.js";
import type { Server } from "./servers.js";

const GUEST = `
  do $$ begin if not exists (select from pg_roles where rolname = 'guest') then create role guest login; end if; end $$;
  grant select on all tables in schema public to guest;
  alter default privileges in schema public grant select on tables to guest`;
const FILES = ["fixtures.db", "side car.v2.db"];

/** Serves the databases of the recorded cases from PostgreSQL, where `rowhouse copy` has put them. */
export class PostgresServers implements ReusedServers {
  readonly #shared = new Map<string, Promise<Server>>();
  readonly #unchanged = new Set<Server>();
  #copies = 0;

  private constructor(private readonly server: PostgresServer) {}

  static async open(server: PostgresServer): Promise<PostgresServers> {
    const folder = await mkdtemp(join(tmpdir(), "rowhouse-exam-"));
    const files = await profileFolder("two");
    for (const file of FILES) {
      const name = templateOf(file);
      await copyFile(join(files, file), join(folder, file));
      await server.run(`create database ${name}`);
      await runCopy(join(folder, file), server.url(name));
      await server.run(GUEST, name);
    }
    await rm(folder, { recursive: true, force: true });
    return new PostgresServers(server);
  }

  shared(profile: string): Promise<Server> {
    const known = this.#shared.get(profile) ?? this.#serve(profile);
    this.#shared.set(profile, known);
    return known;
  }

  /** A server on databases of its own, or one on which nothing was changed. */
  async fresh(profile: string): Promise<Server> {
    const unchanged = [...this.#unchanged].find((server) => server.profile === profile);
    if (unchanged === undefined) return this.#serve(profile);
    this.#unchanged.delete(unchanged);
    return unchanged;
  }

  reuse(server: Server): void {
    this.#unchanged.add(server);
  }

  #serve(profile: string): Promise<Server> {
    return serveInside(profile, {
      place: async (file) => {
        this.#copies += 1;
        const name = `copy_${this.#copies}`;
        await this.server.run(`create database ${name} template ${templateOf(file)}`);
        return this.server.url(name, "?read_role=guest");
      },
    });
  }

  async close(): Promise<void> {
    for (const one of await Promise.allSettled(this.#shared.values()))
      if (one.status === "fulfilled") await one.value.stop();
    for (const server of this.#unchanged) await server.stop();
  }
}

const templateOf = (file: string): string => `template_${parse(file).name.replace(/\W/g, "_")}`;

/** Runs the command as the command line does. */
async function runCopy(from: string, to: string): Promise<void> {
  const kernel = await kernelWith(bundledPlugins);
  const commands = await kernel.hooks.register_commands.promise([], kernel, {});
  const copy = commands.find(({ command }) => command.startsWith("copy "));
  if (copy === undefined || !("handler" in copy)) throw new Error("There is no command copy");
  // Rowhouse does not let SQLite enforce foreign keys, so that the recorded cases break them.
  await copy.handler({ from, to, foreignKeys: "record" } as never);
  await kernel.close();
}
