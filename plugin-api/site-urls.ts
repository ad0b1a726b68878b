import { tildeEncode } from "./paths.js";
import type { Urls } from "./rowhouse.js";

/** Links of the site under `base_url`. */
export function siteUrls(baseUrl: string, forceHttps: boolean): Urls {
  const path = (tail: string): string => baseUrl + tail.replace(/^\//, "");
  const withFormat = (tail: string, format: string | undefined): string =>
    path(format === undefined ? tail : `${tail}.${format}`);
  return {
    path,
    instance: (format) => (format === undefined ? path("") : path(`.${format}`)),
    database: (database, format) => withFormat(tildeEncode(database), format),
    table: (database, table, format) => withFormat(`${tildeEncode(database)}/${tildeEncode(table)}`, format),
    row: (database, table, row, format) =>
      withFormat(`${tildeEncode(database)}/${tildeEncode(table)}/${row}`, format),
    static: (file) => path(`-/static/${file}`),
    staticPlugin: (plugin, file) => path(`-/static-plugins/${plugin}/${file}`),
    absolute: (request, target) =>
      (forceHttps ? request.origin.replace(/^http:/, "https:") : request.origin) + target,
  };
}
