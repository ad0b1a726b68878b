import { StartupError } from "rowhouse/plugin-api";

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Node's timers can't wait longer. */
const MAX_MS = 2 ** 31 - 1;

/** Milliseconds of a text such as `90s`, `15m`, `1h` or `1d`. @throws StartupError for other texts */
export function durationMs(text: string): number {
  const [, count = "", unit = ""] = /^(\d+)([smhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  if (ms >= 1_000 && ms <= MAX_MS) return ms;
  throw new StartupError(`'${text}' is no duration: write 90s, 15m, 1h or 1d, at most 24d`, 2);
}
