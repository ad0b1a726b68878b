import type { Setting, SettingValue } from "rowhouse/plugin-api";

const LIMITS: Readonly<Record<string, SettingValue>> = {
  max_requests: 600,
  max_requests_at_once: 20,
  max_sql_at_once: 2,
  max_sql_seconds: 60,
  header_time_limit_ms: 10_000,
  body_idle_limit_ms: 10_000,
};

/** The settings of `--public`, which all others override. Settings of plugins that are switched off are left out. */
export function publicSettings(
  declared: ReadonlyMap<string, Setting>,
): Readonly<Record<string, SettingValue>> {
  // Without the plugin that measures SQL, the server would not start.
  const limits = Object.entries(LIMITS).filter(
    ([name]) => name !== "max_sql_seconds" || declared.has("sql_timing"),
  );
  return Object.fromEntries(limits.filter(([name]) => declared.has(name)));
}
