import { message } from "../message.js";
import { featureMembers, featuresOf } from "./geojson.js";
import { JsonElements } from "./json-elements.js";
import { membersOf } from "./json-members.js";
import { ColumnNames, JsonValue, type Cell, type Source, type SourceRow } from "./source.js";
import { textOf } from "./text.js";

/** So many are made without a pause. */
const ROWS_AT_ONCE = 1_000;

/** A list of objects, one object after the other, or the features of GeoJSON. */
export function jsonSource(file: Blob, encoding: string): Source {
  const columns: string[] = [];
  const names = new ColumnNames();
  const positions = new Map<string, number>();
  const positionOf = (name: string): number => {
    const known = positions.get(name);
    if (known !== undefined) return known;
    positions.set(name, columns.length);
    return columns.push(names.add(name)) - 1;
  };
  return {
    columns,
    placeName: "object",
    async *rows() {
      let place = 0;
      for await (const { texts, toMembers } of rowTexts(file, encoding)) {
        for (let at = 0; at < texts.length; at += ROWS_AT_ONCE)
          yield texts.slice(at, at + ROWS_AT_ONCE).map((text) => {
            place += 1;
            return rowOf(text, place, { toMembers, positionOf });
          });
      }
    },
  };
}

async function* elementsOf(file: Blob, encoding: string): AsyncGenerator<readonly string[]> {
  const elements = new JsonElements();
  for await (const piece of textOf(file, encoding)) yield elements.add(piece);
  yield elements.end();
}

interface RowTexts {
  readonly texts: readonly string[];
  readonly toMembers: typeof membersOf;
}

async function* rowTexts(file: Blob, encoding: string): AsyncGenerator<RowTexts> {
  for await (const elements of elementsOf(file, encoding)) {
    const [only = ""] = elements;
    const features = elements.length === 1 ? featuresOf(only) : null;
    if (features === null) yield { texts: elements, toMembers: membersOf };
    else yield { texts: features, toMembers: featureMembers };
  }
}

interface RowReading {
  readonly toMembers: RowTexts["toMembers"];
  readonly positionOf: (name: string) => number;
}

function rowOf(text: string, place: number, { toMembers, positionOf }: RowReading): SourceRow {
  try {
    const cells: Cell[] = [];
    for (const [name, raw] of toMembers(text)) cells[positionOf(name)] = cellOf(raw);
    return { place, cells, problem: null };
  } catch {
    const isObject = text.startsWith("{");
    const problem = isObject ? message("script.import.no_json") : message("script.import.no_object");
    return { place, cells: [], problem };
  }
}

function cellOf(raw: string): Cell {
  if (raw === "null") return null;
  if (raw.startsWith('"')) return JSON.parse(raw) as string;
  return new JsonValue(raw);
}
