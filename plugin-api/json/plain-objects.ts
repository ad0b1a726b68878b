import type { TimeSlices } from "../http/time-slices.js";
import type { JsonObject, JsonValue } from "./tree.js";

type Container = readonly JsonValue[] | JsonObject;
/** A list or an object, which both take values by key. */
type Target = Record<string | number, unknown>;

/** The value with plain objects in place of maps, made in slices. @throws QueryInterrupted if the client has left */
export async function withPlainObjects(value: JsonValue, slices: TimeSlices): Promise<unknown> {
  if (!isContainer(value)) return value;
  const whole = emptyLike(value);
  const unfilled: (readonly [Container, Target])[] = [[value, whole]];
  for (let next = unfilled.pop(); next !== undefined; next = unfilled.pop()) {
    const [source, target] = next;
    for (const [key, member] of source.entries()) {
      if (isContainer(member)) {
        const inner = emptyLike(member);
        set(target, key, inner);
        unfilled.push([member, inner]);
      } else {
        set(target, key, member);
      }
      if (slices.isOver) await slices.next();
    }
  }
  return whole;
}

const isContainer = (value: JsonValue): value is Container => Array.isArray(value) || value instanceof Map;

const emptyLike = (value: Container): Target => (Array.isArray(value) ? ([] as unknown as Target) : {});

function set(target: Target, key: string | number, value: unknown): void {
  // An assignment would replace the prototype.
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}
