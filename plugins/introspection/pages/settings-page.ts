import { html, type Html, type Setting, type Visit } from "rowhouse/plugin-api";
import { listing, withMarkup, type Translator } from "rowhouse/plugin-api/html";
import type { SettingValue } from "rowhouse/plugin-api/kernel";
import { tOf } from "../texts.js";
import { code } from "./parts.js";

type Entry = Setting & { readonly value: SettingValue; readonly given: boolean };

/** Every setting: what it is for, its value, its default and where it was set. `?q=` and `?changed=1` narrow them. */
export function settingsPage(visit: Visit<"instance">): Html {
  const { rowhouse, request } = visit;
  const t = tOf(visit);
  const words = (request.query.get("q") ?? "").toLowerCase().split(/\s+/);
  const onlyChanged = request.query.get("changed") === "1";
  const owners = ownersOf(rowhouse);
  const ownerOf = ({ name }: Entry): string => owners.get(name) ?? t("server.by_kernel");
  const shown = [...rowhouse.settings.values()].filter((entry) => {
    const text = `${entry.name} ${entry.help} ${ownerOf(entry)}`.toLowerCase();
    return (!onlyChanged || entry.given) && words.every((word) => text.includes(word));
  });
  return html`
    <form class="panel search-form" action="${rowhouse.urls.path("/-/settings")}" method="get" role="search">
      <label class="visually-hidden" for="settings-query">${t("server.part_of_setting")}</label>
      <input
        id="settings-query"
        type="search"
        name="q"
        value="${request.query.get("q") ?? ""}"
        placeholder="${t("server.find_setting")}"
      />
      <label
        ><input type="checkbox" name="changed" value="1" ${onlyChanged && CHECKED} />
        ${t("server.only_set")}</label
      >
      <button type="submit">${t("server.find")}</button>
    </form>
    ${shown.length === 0 ? nothingFound(t, onlyChanged) : settingsTable(visit, shown, ownerOf)}
    <p class="figures">
      ${withMarkup(t("server.about_settings"), {
        option: html`<code>--setting NAME VALUE</code>`,
        variable: html`<code>ROWHOUSE_NAME</code>`,
      })}
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

const nothingFound = (t: Translator["t"], onlyChanged: boolean): Html =>
  html`<p class="empty">
    <strong>${t("server.no_setting")}</strong>
    ${onlyChanged ? t("server.all_default") : t("server.try_part")}
  </p>`;

function settingsTable(visit: Visit, shown: readonly Entry[], ownerOf: (entry: Entry) => string): Html {
  const t = tOf(visit);
  const origins = visit.rowhouse.option("settingOrigins") ?? {};
  return listing(
    t("server.settings"),
    [t("server.setting"), t("server.value"), t("server.default"), t("server.set_by")],
    shown.map((entry) => ({
      id: `setting-${entry.name}`,
      cells: [
        // What a setting means is documentation by its plugin, in English.
        html`${code(entry.name)} <span class="figures">${ownerOf(entry)}</span>
          <p class="hint" lang="en">${entry.help}</p>`,
        entry.given ? html`<strong>${valueText(t, entry.value)}</strong>` : valueText(t, entry.value),
        valueText(t, entry.default),
        entry.given
          ? (origins[entry.name] ?? t("server.by_program"))
          : html`<span class="figures">${t("server.by_default")}</span>`,
      ],
    })),
  );
}

function valueText(t: Translator["t"], value: SettingValue): string | Html {
  if (typeof value === "boolean") return value ? t("server.on") : t("server.off");
  return value === "" ? html`<span class="figures">${t("server.empty")}</span>` : code(value);
}
