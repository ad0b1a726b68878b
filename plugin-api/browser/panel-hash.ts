/**
 * The part of the address after `#` with other settings of one panel. Those of other panels stay; the name of a part of
 * the page, such as `#export`, does not.
 *
 * @param names the settings of the panel, as they are in the address now
 * @param setting those to add, such as `chart=bar&x=genre`; empty if the panel was closed
 * @returns with the `#`, unless it is empty
 */
export function changedHash(names: readonly string[], setting: string): string {
  const kept = location.hash
    .slice(1)
    .split("&")
    .filter((part) => !names.includes(part.split("=")[0] ?? "") && document.getElementById(part) === null);
  const parts = [setting, ...kept].filter((part) => part !== "");
  return parts.length === 0 ? "" : `#${parts.join("&")}`;
}
