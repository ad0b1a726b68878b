import type { Visit } from "rowhouse/plugin-api";
import { textsFor, type Text, type TextCatalogue, type Translator } from "rowhouse/plugin-api/html";

const english = {
  "views.link": "Saved views",
  "views.dashboards": "Dashboards",
  "views.title": "Saved views of {table}",
  "views.none": "No view has been saved so far.",
  "views.name": "Name",
  "views.seen_by": "Seen by",
  "views.saved_by": "Saved by",
  "views.delete": "Delete",
  "views.delete_view": "Delete {name}",
  "views.only_you": "only you",
  "views.viewers": "all actors who may view the table",
  "views.sign_in": "To save views, sign in with an account that has the permission",
  "views.save_a_view": "Save a view",
  "views.query": "Filters, order and columns, as in the address",
  "views.fragment": "Chart, as after # in the address",
  "views.share": "Share it with all actors who may view the table",
  "views.save": "Save",
  "views.saved": "The view {name} is saved",
  "views.deleted": "The view {name} is deleted",
  "dashboard.about": "A dashboard shows saved charts beside each other.",
  "dashboard.sign_in": "Sign in to make one.",
  "dashboard.made_by": "Made by",
  "dashboard.everyone": "all actors",
  "dashboard.make_one": "Make a dashboard",
  "dashboard.make": "Make",
  "dashboard.share":
    "Share it with all actors. Each sees only the shared views of tables that they may view.",
  "dashboard.figures": "Made by {owner}, seen by {readers}",
  "dashboard.empty": "There is no chart here that you may see.",
  "dashboard.empty_own":
    "There is no chart here yet. Open the chart of a table, save it by Actions, Saved views, and add it below.",
  "dashboard.add_view": "Add a saved view",
  "dashboard.add": "Add",
  "dashboard.settings": "Name, sharing and deletion",
  "dashboard.delete": "Delete this dashboard",
  "dashboard.deleted": "The dashboard {name} is deleted",
  "dashboard.no_chart": "This view has no chart.",
  "dashboard.rows": "Rows",
  "dashboard.groups": "Groups",
  "dashboard.up": "Move up",
  "dashboard.up_view": "Move up {name}",
  "dashboard.down": "Move down",
  "dashboard.down_view": "Move down {name}",
  "dashboard.remove": "Remove",
  "dashboard.remove_view": "Remove {name}",
} as const;

const german: Readonly<Record<keyof typeof english, Text>> = {
  "views.link": "Gespeicherte Ansichten",
  "views.dashboards": "Dashboards",
  "views.title": "Gespeicherte Ansichten von {table}",
  "views.none": "Bisher ist keine Ansicht gespeichert.",
  "views.name": "Name",
  "views.seen_by": "Sichtbar für",
  "views.saved_by": "Von",
  "views.delete": "Löschen",
  "views.delete_view": "{name} löschen",
  "views.only_you": "nur Sie",
  "views.viewers": "alle, die die Tabelle sehen dürfen",
  "views.sign_in": "Um Ansichten zu speichern, melden Sie sich an. Das dafür nötige Recht ist",
  "views.save_a_view": "Ansicht speichern",
  "views.query": "Filter, Sortierung und Spalten, wie in der Adresse",
  "views.fragment": "Diagramm, wie in der Adresse nach #",
  "views.share": "Mit allen teilen, die die Tabelle sehen dürfen",
  "views.save": "Speichern",
  "views.saved": "Die Ansicht {name} ist gespeichert",
  "views.deleted": "Die Ansicht {name} ist gelöscht",
  "dashboard.about": "Ein Dashboard zeigt gespeicherte Diagramme nebeneinander.",
  "dashboard.sign_in": "Melden Sie sich an, um eines anzulegen.",
  "dashboard.made_by": "Angelegt von",
  "dashboard.everyone": "alle",
  "dashboard.make_one": "Dashboard anlegen",
  "dashboard.make": "Anlegen",
  "dashboard.share":
    "Mit allen teilen; sie sehen die geteilten Ansichten der Tabellen, die sie selbst sehen dürfen",
  "dashboard.figures": "Angelegt von {owner}, sichtbar für: {readers}",
  "dashboard.empty": "Hier gibt es kein Diagramm, das Sie sehen dürfen.",
  "dashboard.empty_own":
    "Hier gibt es noch kein Diagramm. Öffnen Sie das Diagramm einer Tabelle, speichern Sie es unter „Aktionen“, „Gespeicherte Ansichten“, und fügen Sie es unten hinzu.",
  "dashboard.add_view": "Gespeicherte Ansicht hinzufügen",
  "dashboard.add": "Hinzufügen",
  "dashboard.settings": "Name, Freigabe und Löschen",
  "dashboard.delete": "Dieses Dashboard löschen",
  "dashboard.deleted": "Das Dashboard {name} ist gelöscht",
  "dashboard.no_chart": "Diese Ansicht hat kein Diagramm.",
  "dashboard.rows": "Zeilen",
  "dashboard.groups": "Gruppen",
  "dashboard.up": "Nach oben",
  "dashboard.up_view": "{name} nach oben",
  "dashboard.down": "Nach unten",
  "dashboard.down_view": "{name} nach unten",
  "dashboard.remove": "Entfernen",
  "dashboard.remove_view": "{name} entfernen",
};

/** The texts of saved views and dashboards. */
export const texts: readonly TextCatalogue[] = [
  { language: "en", texts: english },
  { language: "de", texts: german },
];

/** Returns the text of a key. */
export type T = Translator["t"];

/** The texts in the language of a request. */
export const tOf = (visit: Pick<Visit, "rowhouse" | "request">): T => textsFor(visit, english).t;
