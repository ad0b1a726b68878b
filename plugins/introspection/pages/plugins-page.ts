import { html, type Html, type Rowhouse, type Visit } from "rowhouse/plugin-api";
import type { LoadedPlugin } from "rowhouse/plugin-api/kernel";
import { installedTest } from "../documents.js";
import { code, heading, listing } from "./parts.js";

/** Installed, bundled and switched-off plugins, with what each of them adds. */
export function pluginsPage({ rowhouse }: Visit<"instance">): Html {
  const isInstalled = installedTest(rowhouse);
  const plugins = rowhouse.plugins.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  const installed = plugins.filter(isInstalled);
  const bundled = plugins.filter((plugin) => !isInstalled(plugin));
  const switchedOff = rowhouse.option("switchedOffPlugins") ?? [];
  return html`
    ${heading(rowhouse, "plugins", "Plugins")}
    <h2>Installed <span class="figures">${installed.length}</span></h2>
    ${
      installed.length === 0
        ? html`<p class="empty">
            No plugin is installed beside the bundled ones. Install one with npm and name it in the
            configuration, or put its file into the folder of <code>--plugins-dir</code>.
          </p>`
        : pluginTable(rowhouse, "Installed plugins", installed, true)
    }
    ${
      switchedOff.length > 0 &&
      html`<h2>Switched off <span class="figures">${switchedOff.length}</span></h2>
        <ul class="chips">
          ${switchedOff.map((name) => html`<li>${code(name)}</li>`)}
        </ul>
        <p class="hint">The configuration switches off these bundled plugins.</p>`
    }
    ${
      bundled.length > 0 &&
      html`<h2>Bundled <span class="figures">${bundled.length}</span></h2>
        <p class="hint">
          These come with Rowhouse ${rowhouse.version}. In JSON they are listed with <code>?all=1</code>.
        </p>
        ${pluginTable(rowhouse, "Bundled plugins", bundled, false)}`
    }
  `;
}

const pluginTable = (
  rowhouse: Rowhouse,
  label: string,
  plugins: readonly LoadedPlugin[],
  hasVersions: boolean,
): Html =>
  listing(
    label,
    ["Plugin", ...(hasVersions ? ["Version"] : []), "Adds", "Hooks"],
    plugins.map((plugin) => ({
      id: `plugin-${plugin.name}`,
      cells: [
        html`<strong dir="auto">${plugin.name}</strong>`,
        ...(hasVersions ? [plugin.version ?? html`<span class="figures">not stated</span>`] : []),
        additions(rowhouse, plugin),
        hooksOf(plugin),
      ],
    })),
  );

/** What a plugin has beside its hooks, in words. */
function additions({ urls }: Rowhouse, { name, plugin }: LoadedPlugin): Html {
  const count = plugin.settings?.length ?? 0;
  const settings = `${urls.path("/-/settings")}?q=${encodeURIComponent(name)}`;
  const parts = [
    ...(count > 0
      ? [html`<a href="${settings}">${count === 1 ? "1 setting" : `${count} settings`}</a>`]
      : []),
    ...(plugin.provides ?? []).map((service) => html`service ${code(service)}`),
    ...(plugin.static === undefined ? [] : ["scripts and styles"]),
    ...(plugin.templates === undefined ? [] : ["templates"]),
  ];
  return html`${parts.map((part, index) => html`${index > 0 && ", "}${part}`)}`;
}

function hooksOf({ hooks }: LoadedPlugin): Html | string {
  if (hooks.length === 0) return "";
  return html`<details>
    <summary>${hooks.length === 1 ? "1 hook" : `${hooks.length} hooks`}</summary>
    <ul class="plain-list">
      ${hooks.toSorted().map((hook) => html`<li>${code(hook)}</li>`)}
    </ul>
  </details>`;
}
