/** The path of a value in the metadata or configuration: `["databases", "data", "allow"]`. */
export type KeyPath = readonly string[];

/**
 * A path as messages show it: `databases.data.allow`, `databases["side car.v2"].allow`.
 *
 * @example
 * keyText(["databases", "side car.v2", "allow"]); // 'databases["side car.v2"].allow'
 */
export const keyText = (path: KeyPath): string =>
  path
    .map((key, index) => {
      if (!/^[\w-]+$/.test(key)) return `[${JSON.stringify(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join("");
