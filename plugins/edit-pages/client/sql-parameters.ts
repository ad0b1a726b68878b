import { element, sqlTokens } from "rowhouse/browser";

/** In ms after the last key, so that there are no fields for names that are half typed. */
const PAUSE_MS = 300;

/** Shows a field for each parameter of the statement while it is typed. Values stay when their parameter comes back. */
export function followParameters(fieldset: HTMLFieldSetElement): void {
  const statement = fieldset.form?.querySelector<HTMLTextAreaElement>("textarea[name=sql]");
  if (!statement) return;
  const known = new Map<string, HTMLElement>();
  for (const line of fieldset.querySelectorAll<HTMLElement>(".parameter"))
    known.set(line.querySelector("input")?.name ?? "", line);
  const show = (): void => {
    const names = fieldNames(statement.value);
    for (const [name, line] of known) if (!names.includes(name)) line.remove();
    for (const name of names) {
      const line = known.get(name) ?? newLine(name);
      known.set(name, line);
      // To move a field would take the focus from it.
      if (!line.isConnected) fieldset.append(line);
    }
    fieldset.hidden = names.length === 0;
  };
  let waiting: ReturnType<typeof setTimeout> | undefined;
  statement.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(show, PAUSE_MS);
  });
}

const fieldNames = (sql: string): readonly string[] => [
  ...new Set(
    sqlTokens(sql)
      .filter(({ kind, text }) => kind === "parameter" && !text.startsWith("?"))
      .map(({ text }) => `:${text.slice(1)}`),
  ),
];

function newLine(name: string): HTMLElement {
  return element(
    "p",
    { class: "parameter" },
    element("label", { for: name, dir: "auto" }, name.slice(1)),
    " ",
    element("input", { type: "text", id: name, name, autocomplete: "off", dir: "auto" }),
  );
}
