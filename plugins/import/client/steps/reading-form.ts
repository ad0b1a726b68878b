import { element } from "rowhouse/browser";
import { checkbox, field, menu } from "../dom.js";
import { DELIMITERS } from "../read/delimited.js";
import type { Opened, Reading } from "../read/open.js";
import { ENCODINGS } from "../read/text.js";
import { t } from "../texts.js";

/** The controls for how a file is read. */
export function readingForm(
  { workbook }: Opened,
  reading: Reading,
  onChange: (changed: Reading) => void,
): HTMLElement {
  const form = element("div", { class: "import-controls" });
  const add = (
    label: string,
    control: HTMLSelectElement,
    change: (value: string) => Partial<Reading>,
  ): void => {
    control.addEventListener("change", () => onChange({ ...reading, ...change(control.value) }));
    form.append(field(label, control));
  };
  if (workbook !== null) {
    const sheets = workbook.sheets.map(({ name, path }) => [path, name] as const);
    add(t("script.import.sheet"), menu(sheets, reading.sheet), (sheet) => ({ sheet }));
  } else {
    const formats = [
      ["delimited", t("script.import.delimited")],
      ["json", "JSON"],
    ] as const;
    add(t("script.import.format"), menu(formats, reading.format), (format) => ({
      format: format === "json" ? "json" : "delimited",
    }));
    if (reading.format === "delimited") addDelimiter(form, reading, onChange);
    const encodings = ENCODINGS.map(
      ([encoding, kind, name]) => [encoding, t(`script.import.encoding_${kind}`, { name })] as const,
    );
    add(t("script.import.encoding"), menu(encodings, reading.encoding), (encoding) => ({ encoding }));
  }
  if (reading.format !== "json") {
    const header = checkbox(t("script.import.header"), reading.header);
    header.box.addEventListener("change", () => onChange({ ...reading, header: header.box.checked }));
    form.append(header.line);
  }
  return form;
}

function addDelimiter(form: HTMLElement, reading: Reading, onChange: (changed: Reading) => void): void {
  const isKnown = DELIMITERS.some(([delimiter]) => delimiter === reading.delimiter);
  const labels = DELIMITERS.map(
    ([delimiter, name]) => [delimiter, t(`script.import.delimiter_${name}`)] as const,
  );
  const list = menu([...labels, ["", t("script.import.other")]], isKnown ? reading.delimiter : "");
  const other = element("input", {
    type: "text",
    maxlength: "1",
    size: "2",
    "aria-label": t("script.import.other_delimiter"),
  });
  other.value = isKnown ? "" : reading.delimiter;
  other.hidden = isKnown;
  list.addEventListener("change", () => {
    other.hidden = list.value !== "";
    if (list.value === "") other.focus();
    else onChange({ ...reading, delimiter: list.value });
  });
  other.addEventListener("change", () => {
    if (/^[^"\r\n]$/.test(other.value)) onChange({ ...reading, delimiter: other.value });
  });
  const line = field(t("script.import.delimiter"), list);
  line.append(other);
  form.append(line);
}
