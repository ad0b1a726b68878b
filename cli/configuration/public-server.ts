import type { Setting, SettingValue } from "rowhouse/plugin-api";

/** From this version on, the time of requests in SQL is measured without a cost: see the setting `sql_timing`. */
const FIRST_NODE_WITH_TIMING = 24;

const LIMITS: Readonly<Record<string, SettingValue>> = {
  max_requests: 600,
  max_requests_at_once: 20,
  max_sql_at_once: 2,
  header_time_limit_ms: 10_000,
  body_idle_limit_ms: 10_000,
};

/** The settings of `--public`, which all others override. Settings of plugins that are switched off are left out. */
export function publicSettings(
  declared: ReadonlyMap<string, Setting>,
): Readonly<Record<string, SettingValue>> {
  const isTiming = Number.parseInt(process.versions.node, 10) >= FIRST_NODE_WITH_TIMING;
  const limits = { ...LIMITS, ...(isTiming && { max_sql_seconds: 60 }) };
  return Object.fromEntries(Object.entries(limits).filter(([name]) => declared.has(name)));
}
