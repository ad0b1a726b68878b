/** Where a value stands in the metadata or the configuration: `["databases", "data", "allow"]`. */
export type KeyPath = readonly string[];

/** A path as people write it: `databases.data.allow`, `databases["side car.v2"].allow`. */
export const keyText = (path: KeyPath): string =>
  path
    .map((key, index) => {
      if (!/^[\w-]+$/.test(key)) return `[${JSON.stringify(key)}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join("");
