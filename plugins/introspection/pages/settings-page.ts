import { html, type Html, type Setting, type Visit } from "rowhouse/plugin-api";
import type { SettingValue } from "rowhouse/plugin-api/kernel";
import { code, heading, listing } from "./parts.js";

type Entry = Setting & { readonly value: SettingValue; readonly given: boolean };

/** Every setting: what it is for, its value, its default and where it was set. `?q=` and `?changed=1` narrow them. */
export function settingsPage({ rowhouse, request }: Visit<"instance">): Html {
  const words = (request.query.get("q") ?? "").toLowerCase().split(/\s+/);
  const onlyChanged = request.query.get("changed") === "1";
  const owners = ownersOf(rowhouse);
  const ownerOf = ({ name }: Entry): string => owners.get(name) ?? "the kernel";
  const shown = [...rowhouse.settings.values()].filter((entry) => {
    const text = `${entry.name} ${entry.help} ${ownerOf(entry)}`.toLowerCase();
    return (!onlyChanged || entry.given) && words.every((word) => text.includes(word));
  });
  return html`
    ${heading(rowhouse, "settings", "Settings")}
    <form class="panel search-form" action="${rowhouse.urls.path("/-/settings")}" method="get" role="search">
      <label class="visually-hidden" for="settings-query">Part of a setting</label>
      <input
        id="settings-query"
        type="search"
        name="q"
        value="${request.query.get("q") ?? ""}"
        placeholder="Find a setting"
      />
      <label
        ><input type="checkbox" name="changed" value="1" ${onlyChanged && CHECKED} /> only those that were
        set</label
      >
      <button type="submit">Find</button>
    </form>
    ${shown.length === 0 ? nothingFound(onlyChanged) : settingsTable(shown, ownerOf, rowhouse.option("settingOrigins"))}
    <p class="figures">
      Settings are given by <code>--setting NAME VALUE</code>, the environment (<code>ROWHOUSE_NAME</code>) or
      a configuration file, when the server starts.
    </p>
  `;
}

const CHECKED = html`checked`;

function ownersOf({ plugins }: Visit["rowhouse"]): ReadonlyMap<string, string> {
  return new Map(
    plugins.flatMap(({ name: owner, plugin }) =>
      (plugin.settings ?? []).map(({ name }) => [name, owner] as const),
    ),
  );
}

const nothingFound = (onlyChanged: boolean): Html =>
  html`<p class="empty">
    <strong>No setting fits.</strong>
    ${onlyChanged ? "All settings have their default." : "Try a part of its name, or of what it does."}
  </p>`;

const settingsTable = (
  shown: readonly Entry[],
  ownerOf: (entry: Entry) => string,
  origins: Readonly<Record<string, string>> = {},
): Html =>
  listing(
    "Settings",
    ["Setting", "Value", "Default", "Set by"],
    shown.map((entry) => ({
      id: `setting-${entry.name}`,
      cells: [
        html`${code(entry.name)} <span class="figures">${ownerOf(entry)}</span>
          <p class="hint">${entry.help}</p>`,
        entry.given ? html`<strong>${valueText(entry.value)}</strong>` : valueText(entry.value),
        valueText(entry.default),
        entry.given ? (origins[entry.name] ?? "the program") : html`<span class="figures">default</span>`,
      ],
    })),
  );

function valueText(value: SettingValue): string | Html {
  if (typeof value === "boolean") return value ? "on" : "off";
  return value === "" ? html`<span class="figures">empty</span>` : code(value);
}
