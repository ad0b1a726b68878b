import type { Visit } from "rowhouse/plugin-api";
import { textsFor, type Text, type TextCatalogue, type Translator } from "rowhouse/plugin-api/html";

const english = {
  "group.link": "Group and count",
  "group.in_numbers": "in numbers",
  "group.by": "by {names}",
  "group.count": { one: "{count} group", other: "{count} groups" },
  "group.data_as": "This data as",
  "group.all_rows": "All rows",
  "group.none": "There are no groups.",
  "group.none_fits": "No row matches the filters.",
  "group.show_all": "Show all rows",
  "group.previous_page": "Previous page",
  "group.next_page": "Next page",
  "group.groups": "Groups",
  "group.blank": "(blank)",
  "group.bytes": { one: "{count} byte", other: "{count} bytes" },
  "group.rows": "number of rows",
  "group.for_each": "For each",
  "group.and": "and",
  "group.show": "show",
  "group.group": "Group",
  "group.by_year": "{name}, by year",
  "group.by_quarter": "{name}, by quarter",
  "group.by_month": "{name}, by month",
  "group.by_week": "{name}, by week",
  "group.by_day": "{name}, by day",
  "group.different": "distinct values of {name}",
  "group.sum": "sum of {name}",
  "group.avg": "mean of {name}",
  "group.min": "minimum of {name}",
  "group.max": "maximum of {name}",
} as const;

const german: Readonly<Record<keyof typeof english, Text>> = {
  "group.link": "Gruppieren und zählen",
  "group.in_numbers": "in Zahlen",
  "group.by": "nach {names}",
  "group.count": { one: "{count} Gruppe", other: "{count} Gruppen" },
  "group.data_as": "Diese Daten als",
  "group.all_rows": "Alle Zeilen",
  "group.none": "Es gibt keine Gruppen.",
  "group.none_fits": "Zu den Filtern passt keine Zeile.",
  "group.show_all": "Alle Zeilen zeigen",
  "group.previous_page": "Vorherige Seite",
  "group.next_page": "Nächste Seite",
  "group.groups": "Gruppen",
  "group.blank": "(leer)",
  "group.bytes": "{count} Byte",
  "group.rows": "Anzahl der Zeilen",
  "group.for_each": "Für jedes",
  "group.and": "und",
  "group.show": "zeige",
  "group.group": "Gruppieren",
  "group.by_year": "{name}, nach Jahr",
  "group.by_quarter": "{name}, nach Quartal",
  "group.by_month": "{name}, nach Monat",
  "group.by_week": "{name}, nach Woche",
  "group.by_day": "{name}, nach Tag",
  "group.different": "verschiedene Werte von {name}",
  "group.sum": "Summe von {name}",
  "group.avg": "Mittel von {name}",
  "group.min": "Minimum von {name}",
  "group.max": "Maximum von {name}",
};

/** The texts of the page that groups rows. */
export const texts: readonly TextCatalogue[] = [
  { language: "en", texts: english },
  { language: "de", texts: german },
];

/** Texts and numbers in the language of a request. */
export const translatorOf = (visit: Pick<Visit, "rowhouse" | "request">): Translator =>
  textsFor(visit, english);

/** The texts in the language of a request. */
export const tOf = (visit: Pick<Visit, "rowhouse" | "request">): Translator["t"] => translatorOf(visit).t;
