import { JsonElements } from "./json-elements.js";
import { membersOf } from "./json-members.js";

type Members = ReturnType<typeof membersOf>;

/** The features of a GeoJSON collection as JSON texts; null for any other text. */
export function featuresOf(text: string): readonly string[] | null {
  if (!text.includes('"FeatureCollection"')) return null;
  try {
    const { type, features } = Object.fromEntries(membersOf(text));
    if (type !== '"FeatureCollection"' || features?.startsWith("[") !== true) return null;
    const elements = new JsonElements();
    return [...elements.add(features), ...elements.end()];
  } catch {
    return null;
  }
}

/** The columns of a feature: its id, its properties and its geometry. Of equal names, the last is kept. */
export function featureMembers(text: string): Members {
  const { id, properties = "null", geometry = "null" } = Object.fromEntries(membersOf(text));
  return [
    ...(id === undefined ? [] : [["id", id] as const]),
    ...(properties === "null" ? [] : membersOf(properties)),
    ["geometry", geometry],
  ];
}
