const DATE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?$/;
const SECONDS = { year: 31_557_600, month: 2_629_800, day: 86_400, hour: 3600, minute: 60 } as const;

/** `3 months ago`, `in 2 days`, `today`; null for text that is no date. Times without a zone are UTC. */
export function agoOf(text: string, now: Date, language = "en"): string | null {
  if (!DATE.test(text) || !isInCalendar(text.slice(0, 10))) return null;
  const iso = text.replace(" ", "T");
  const hasTime = iso.includes("T");
  const zone = /(?:Z|[+-]\d{2}(?::?\d{2})?)$/.test(iso.slice(10)) || !hasTime ? "" : "Z";
  const time = Date.parse(iso.replace(/([+-]\d{2})$/, hasTime ? "$1:00" : "$1") + zone);
  if (Number.isNaN(time)) return null;
  const words = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const seconds = (time - (hasTime ? now.valueOf() : Date.parse(now.toISOString().slice(0, 10)))) / 1000;
  for (const [unit, length] of Object.entries(SECONDS)) {
    const isLast = unit === (hasTime ? "minute" : "day");
    if (Math.abs(seconds) >= length || isLast)
      return words.format(Math.trunc(seconds / length), unit as keyof typeof SECONDS);
  }
  return null;
}

/** False for 30 February, of which `Date.parse` makes a day in March. */
function isInCalendar(day: string): boolean {
  const time = Date.parse(day);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}
