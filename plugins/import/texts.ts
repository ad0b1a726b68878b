import { pageTexts, type Text } from "rowhouse/plugin-api/html";
import { scriptEnglish } from "./client/english.js";
import { germanOfScripts } from "./german-of-scripts.js";

const english = {
  ...scriptEnglish,
  "import.as_table": "Import a file as a table",
  "import.file": "Import a file",
  "import.title": "Import into {name}",
  "import.heading": "Import a file into {name}",
  "import.no_script":
    "This page reads files with JavaScript, which is switched off here. Create a table, then paste rows into it.",
  "import.create_table": "Create a table",
  "import.first": "1. Choose a file",
  "import.choose": "Choose a file",
  "import.drop": "or drop it here, or paste rows of a spreadsheet",
  "import.kinds":
    "CSV, TSV, Excel (XLSX), JSON or lines of JSON, of any size. It is read in your browser first.",
  "import.paste": "Paste rows",
  "import.rows": "Rows, the first with the names of the columns",
  "import.read": "Read these rows",
  "import.stop": "Stop, and import nothing",
  "import.ignore": "Leave the row that is there",
  "import.replace": "Replace the row",
  "import.upsert": "Change the columns that are named",
  "import.csv": "CSV, its first line the names of columns",
  "import.conflict": "When a row with that key is there already",
  "import.alter": "Add columns that are missing",
  "import.import": "Import",
  "import.cancel": "Cancel",
  "import.paste_first": "Paste the rows first",
  "import.done": "Rows imported",
} as const;

const german: Readonly<Record<keyof typeof english, Text>> = {
  ...germanOfScripts,
  "import.as_table": "Datei als Tabelle importieren",
  "import.file": "Datei importieren",
  "import.title": "Import in {name}",
  "import.heading": "Datei in {name} importieren",
  "import.no_script":
    "Diese Seite liest Dateien mit JavaScript, das hier ausgeschaltet ist. Legen Sie eine Tabelle an und fügen Sie dann Zeilen ein.",
  "import.create_table": "Tabelle anlegen",
  "import.first": "1. Datei wählen",
  "import.choose": "Datei wählen",
  "import.drop": "oder hier ablegen, oder Zeilen einer Tabellenkalkulation einfügen",
  "import.kinds":
    "CSV, TSV, Excel (XLSX), JSON oder JSON-Zeilen, beliebig groß. Zuerst liest Ihr Browser die Datei.",
  "import.paste": "Zeilen einfügen",
  "import.rows": "Zeilen, in der ersten die Namen der Spalten",
  "import.read": "Diese Zeilen lesen",
  "import.stop": "Abbrechen und nichts importieren",
  "import.ignore": "Vorhandene Zeile behalten",
  "import.replace": "Zeile ersetzen",
  "import.upsert": "Genannte Spalten ändern",
  "import.csv": "CSV, in der ersten Zeile die Namen der Spalten",
  "import.conflict": "Wenn es schon eine Zeile mit diesem Schlüssel gibt",
  "import.alter": "Fehlende Spalten hinzufügen",
  "import.import": "Importieren",
  "import.cancel": "Abbrechen",
  "import.paste_first": "Bitte zuerst die Zeilen einfügen",
  "import.done": "Zeilen importiert",
};

/** The texts of the pages that import files, and the functions that return them in the language of a request. */
export const { texts, tOf } = pageTexts(english, { de: german });
