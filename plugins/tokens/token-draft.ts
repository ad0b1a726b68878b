import { tildeDecode, tildeEncode } from "rowhouse/plugin-api/http";
import { readBox } from "./grants.js";
import type { GrantableDatabase } from "./token-form.js";

/** A database, or a table or view in it, to which actions of a token can be restricted. */
export interface Place {
  readonly database: string;
  readonly table: string | null;
}

/** What is filled in on the form before the token is created. */
export interface TokenDraft {
  readonly name: string;
  readonly expireType: string;
  readonly expireDuration: string;
  /** The names of the ticked boxes. */
  readonly ticked: ReadonlySet<string>;
  /** The places whose actions are shown, the latest last. */
  readonly places: readonly Place[];
  /** The place that was just added; null for none. */
  readonly added: Place | null;
  /** The text in the field for places, if there is no such place. */
  readonly unknownPlace: string | null;
}

/** The beginning of the names of the boxes of a place. */
export const prefixOf = ({ database, table }: Place): string =>
  table === null
    ? `database:${tildeEncode(database)}`
    : `resource:${tildeEncode(database)}:${tildeEncode(table)}`;

/** A place in the field for places: `library`, `library/books`. */
export const placeText = ({ database, table }: Place): string =>
  table === null ? tildeEncode(database) : `${tildeEncode(database)}/${tildeEncode(table)}`;

/** All places, each database before its tables. */
export const placesIn = (databases: readonly GrantableDatabase[]): readonly Place[] =>
  databases.flatMap(({ name: database, tables }) => [
    { database, table: null },
    ...tables.map((table) => ({ database, table })),
  ]);

/** The fields of a request: of the form, or of the address `?place=library/books`. */
export function readDraft(form: URLSearchParams, databases: readonly GrantableDatabase[]): TokenDraft {
  const offered = placesIn(databases);
  const wanted = (form.get("place") ?? "").trim();
  const added = wanted === "" ? null : findPlace(offered, wanted);
  const ticked = new Set([...form.keys()].filter((name) => /^(?:all|database|resource):/.test(name)));
  const kept = new Set([...form.getAll("shown"), ...[...ticked].map((box) => readBox(box)?.prefix ?? "")]);
  const places = offered.filter((place) => place !== added && kept.has(prefixOf(place)));
  return {
    name: form.get("name") ?? "",
    expireType: form.get("expire_type") ?? "",
    expireDuration: form.get("expire_duration") ?? "",
    ticked,
    places: added === null ? places : [...places, added],
    added,
    unknownPlace: wanted !== "" && added === null ? wanted : null,
  };
}

/** As the list of the field spells it, or as people do: `my data/my table`. */
function findPlace(offered: readonly Place[], text: string): Place | null {
  const [database = "", table = null, ...more] = text.split("/").map(tildeDecode);
  const spelled =
    more.length > 0
      ? undefined
      : offered.find((place) => place.database === database && place.table === table);
  const plain = ({ database: first, table: second }: Place): string =>
    second === null ? first : `${first}/${second}`;
  return spelled ?? offered.find((place) => plain(place) === text) ?? null;
}
