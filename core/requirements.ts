import { StartupError, type Plugin } from "rowhouse/plugin-api";
import type { HookSpec, LoadedPlugin } from "rowhouse/plugin-api/kernel";

/** The plugins of a server and the services that were provided. */
interface Loading {
  readonly plugins: readonly Plugin[];
  readonly switchedOff: readonly Plugin[];
  /** True for a service that a plugin provided in `setup`. */
  has(service: string): boolean;
}

/** @throws StartupError when a plugin requires or declares a service that no plugin provides */
export function checkServices({ plugins, switchedOff, has }: Loading): void {
  for (const { name, provides = [] } of plugins) {
    const missing = provides.find((service) => !has(service));
    if (missing !== undefined)
      throw new StartupError(`Plugin ${name} declares the service ${missing}, but does not provide it`);
  }
  const missing = plugins.flatMap(({ requires = [] }) => requires).find((service) => !has(service));
  if (missing === undefined) return;
  const names = plugins.filter(({ requires }) => requires?.includes(missing)).map(({ name }) => name);
  const start = sentence(names, "require");
  const owner = switchedOff.find(({ provides }) => provides?.includes(missing))?.name;
  throw new StartupError(
    owner === undefined
      ? `${start} the service ${missing}, which no plugin provides`
      : `${start} the service ${missing} of plugin ${owner}, which is switched off. ` +
          `Switch ${owner} on, or switch ${names.join(", ")} off`,
  );
}

/** @throws StartupError when a plugin taps a hook that enforces rules and the owner of the hook is switched off */
export function checkEnforcement(plugins: readonly LoadedPlugin[], switchedOff: readonly Plugin[]): void {
  for (const owner of switchedOff) {
    const enforcing = Object.entries(owner.hooks ?? {}).filter(([, spec]) => enforces(spec));
    for (const [hook] of enforcing) {
      if (plugins.some(({ plugin }) => Object.hasOwn(plugin.hooks ?? {}, hook))) continue;
      const names = plugins.filter(({ hooks }) => hooks.includes(hook)).map(({ name }) => name);
      if (names.length === 0) continue;
      throw new StartupError(
        `${sentence(names, "enforce")} a rule by the hook ${hook} of plugin ${owner.name}, which is switched off. ` +
          `Switch ${owner.name} on, or remove ${names.join(", ")}`,
      );
    }
  }
}

const sentence = (names: readonly string[], verb: string): string =>
  `Plugin${names.length === 1 ? "" : "s"} ${names.join(", ")} ${verb}${names.length === 1 ? "s" : ""}`;

const enforces = (spec: HookSpec): boolean => typeof spec !== "string" && spec.enforces === true;
