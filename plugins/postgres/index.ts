import { definePlugin, isObject, StartupError, type Database, type Rowhouse } from "rowhouse/plugin-api";
import { bundledSettings } from "rowhouse/plugin-api/contracts";
import type { DatabaseLocation } from "rowhouse/plugin-api/engine";
import { isPostgresAddress, parseAddress, shownAddress, type DatabaseAddress } from "./connect/address.js";
import { findPassword } from "./connect/password.js";
import { positionMiddleware } from "./connect/position-middleware.js";

/** Opens databases of PostgreSQL servers. Only this folder uses the client, npm `pg`. */
export default definePlugin({
  name: "postgres",
  deterministic: true,
  unguarded: true,
  optional: ["pluginConfig"],
  settings: bundledSettings.postgres,
  setup(rowhouse) {
    let hasStandbys = false;
    return {
      open_database(_rowhouse, { location }) {
        if (!isPostgresAddress(location.uri)) return null;
        const address = parseAddress(location.uri);
        hasStandbys ||= address.hosts.length > 1;
        return openPostgres(rowhouse, location, address);
      },
      // Only with several servers do requests have a position that reads wait for.
      http_wrapper: () =>
        hasStandbys ? positionMiddleware(rowhouse, positionLifetimeSeconds(rowhouse)) : [],
    };
  },
});

/** The state of a server is known for a second; clocks and requests take some more. */
const POSITION_MARGIN_SECONDS = 30;

const positionLifetimeSeconds = (rowhouse: Rowhouse): number =>
  rowhouse.setting("max_replica_lag_seconds") + POSITION_MARGIN_SECONDS;

/** The configuration of the plugin, for all databases or for one. */
interface Config {
  readonly password: string | null;
  readonly readRolePassword: string | null;
}

async function openPostgres(
  rowhouse: Rowhouse,
  location: DatabaseLocation,
  address: DatabaseAddress,
): Promise<Database> {
  // The client loads `fetch` of Node, too: together 10 MB of memory, which servers of files save.
  const { PostgresDatabase } = await import("./database.js");
  const config = configOf(rowhouse, location.name);
  const env = (name: string): string | null => rowhouse.option("secretSources")?.env(name) ?? null;
  const timeLimitMs = rowhouse.setting("sql_time_limit_ms");
  const database = new PostgresDatabase({
    location,
    shown: shownAddress(location.uri),
    timeLimitMs,
    cluster: {
      name: location.name,
      address,
      maxLagSeconds: rowhouse.setting("max_replica_lag_seconds"),
      untrustedTimeoutMs: timeLimitMs + 1_000,
      lockWaitMs: rowhouse.setting("lock_wait_ms"),
      sizes: {
        read: rowhouse.setting("postgres_sessions"),
        write: 2,
        untrusted: rowhouse.setting("num_sql_threads"),
      },
      password: (host, user) => {
        const configured = user === address.user ? config.password : config.readRolePassword;
        return findPassword({ configured, env }, host, { user, database: address.database });
      },
    },
  });
  try {
    await database.schema();
    await database.checkSchema();
    await database.checkReadRole();
  } catch (error) {
    await database.close();
    if (error instanceof StartupError) throw error;
    throw new StartupError(`Could not open ${shownAddress(location.uri)}: ${(error as Error).message}`, 1, {
      cause: error,
    });
  }
  return database;
}

function configOf(rowhouse: Rowhouse, database: string): Config {
  const config = rowhouse.serviceIfAny("pluginConfig")?.of("postgres", { database }) ?? {};
  if (!isObject(config)) throw new StartupError("The configuration of the plugin postgres must be an object");
  const text = (name: string): string | null => (typeof config[name] === "string" ? config[name] : null);
  return { password: text("password"), readRolePassword: text("read_role_password") };
}
