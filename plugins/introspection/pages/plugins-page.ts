import { html, type Html, type Visit } from "rowhouse/plugin-api";
import { listing, withMarkup } from "rowhouse/plugin-api/html";
import type { LoadedPlugin } from "rowhouse/plugin-api/kernel";
import { installedTest } from "../documents.js";
import { translatorOf, tOf } from "../texts.js";
import { code } from "./parts.js";

/** Installed, bundled and switched-off plugins, with what each of them adds. */
export function pluginsPage(visit: Visit<"instance">): Html {
  const { rowhouse } = visit;
  const { t, number } = translatorOf(visit);
  const isInstalled = installedTest(rowhouse);
  const plugins = rowhouse.plugins.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  const installed = plugins.filter(isInstalled);
  const bundled = plugins.filter((plugin) => !isInstalled(plugin));
  const switchedOff = rowhouse.option("switchedOffPlugins") ?? [];
  return html`
    <h2>${t("server.installed")} <span class="figures">${number(installed.length)}</span></h2>
    ${
      installed.length === 0
        ? html`<p class="empty">
            ${withMarkup(t("server.none_installed"), { option: html`<code>--plugins-dir</code>` })}
          </p>`
        : installedTable(visit, installed)
    }
    ${
      switchedOff.length > 0 &&
      html`<h2>${t("server.switched_off")} <span class="figures">${number(switchedOff.length)}</span></h2>
        <ul class="chips">
          ${switchedOff.map((name) => html`<li>${code(name)}</li>`)}
        </ul>
        <p class="hint">${t("server.about_switched_off")}</p>`
    }
    ${
      bundled.length > 0 &&
      html`<h2>${t("server.bundled")} <span class="figures">${number(bundled.length)}</span></h2>
        <p class="hint">
          ${withMarkup(t("server.about_bundled", { version: rowhouse.version }), {
            argument: html`<code>?all=1</code>`,
          })}
        </p>
        ${bundledTable(visit, bundled)}`
    }
  `;
}

function installedTable(visit: Visit, plugins: readonly LoadedPlugin[]): Html {
  const t = tOf(visit);
  return listing(
    t("server.installed_plugins"),
    [t("server.plugin"), t("server.version"), t("server.adds"), t("server.hooks")],
    plugins.map((plugin) => ({
      id: `plugin-${plugin.name}`,
      cells: [
        nameOf(plugin),
        plugin.version ?? html`<span class="figures">${t("server.not_stated")}</span>`,
        additions(visit, plugin),
        hooksOf(visit, plugin),
      ],
    })),
  );
}

/** Without versions, which are that of Rowhouse. */
function bundledTable(visit: Visit, plugins: readonly LoadedPlugin[]): Html {
  const t = tOf(visit);
  return listing(
    t("server.bundled_plugins"),
    [t("server.plugin"), t("server.adds"), t("server.hooks")],
    plugins.map((plugin) => ({
      id: `plugin-${plugin.name}`,
      cells: [nameOf(plugin), additions(visit, plugin), hooksOf(visit, plugin)],
    })),
  );
}

const nameOf = ({ name }: LoadedPlugin): Html => html`<strong dir="auto">${name}</strong>`;

/** What a plugin has beside its hooks, in words. */
function additions(visit: Visit, { name, plugin }: LoadedPlugin): Html {
  const t = tOf(visit);
  const count = plugin.settings?.length ?? 0;
  const settings = `${visit.rowhouse.urls.path("/-/settings")}?q=${encodeURIComponent(name)}`;
  const parts = [
    ...(count > 0 ? [html`<a href="${settings}">${t("server.some_settings", { count })}</a>`] : []),
    ...(plugin.provides ?? []).map((service) => withMarkup(t("server.service"), { name: code(service) })),
    ...(plugin.static === undefined ? [] : [t("server.static_files")]),
    ...(plugin.templates === undefined ? [] : [t("server.templates")]),
  ];
  return html`${parts.map((part, index) => html`${index > 0 && ", "}${part}`)}`;
}

function hooksOf(visit: Visit, { hooks }: LoadedPlugin): Html | string {
  if (hooks.length === 0) return "";
  return html`<details>
    <summary>${tOf(visit)("server.some_hooks", { count: hooks.length })}</summary>
    <ul class="plain-list">
      ${hooks.toSorted().map((hook) => html`<li>${code(hook)}</li>`)}
    </ul>
  </details>`;
}
