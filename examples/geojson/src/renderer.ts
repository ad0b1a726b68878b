import { BadRequest, type Page, type Renderer, type Reply, type Visit } from "rowhouse/plugin-api";
import type { RowStream, Wants } from "rowhouse/plugin-api/http";
import { coordinatePlaces, features, type Places } from "./features.js";

const START = '{"type": "FeatureCollection", "features": [';
const END = "]}\n";

/** One page as a feature collection; with `?_stream=1` the whole table, row by row as it is read. */
export const geojsonRenderer: Renderer = {
  extension: "geojson",
  wants: ({ query }): Wants => ({
    rows: "cells",
    infinity: "null",
    parts: new Set(),
    labels: false,
    stream: Boolean(query.get("_stream")),
  }),
  render,
  canRender: ({ rows }) => rows !== undefined && coordinatePlaces(rows.columns) !== null,
};

/** @throws BadRequest without coordinates */
function render(page: Page, { request }: Visit): Reply {
  const places = coordinatePlaces(page.stream?.columns ?? page.rows?.columns ?? []);
  if (places === null) throw new BadRequest("GeoJSON needs the columns latitude and longitude");
  const next = page.data["next_url"];
  const headers = {
    "content-type": "application/geo+json",
    ...(typeof next === "string" && { link: `<${next}>; rel="next"` }),
  };
  if (page.stream !== undefined && request.method !== "HEAD") {
    return { status: 200, headers, body: streamed(page.stream, places) };
  }
  const found = page.rows === undefined ? [] : features(page.rows, places);
  return { status: 200, headers, body: START + found.join(", ") + END };
}

/** Holds one batch in memory at a time: the next one is read when the client has received the last one. */
async function* streamed({ batches }: RowStream, places: Places): AsyncIterable<string> {
  yield START;
  let separator = "";
  for await (const batch of batches) {
    const found = features(batch, places);
    if (found.length === 0) continue;
    yield separator + found.join(", ");
    separator = ", ";
  }
  yield END;
}
