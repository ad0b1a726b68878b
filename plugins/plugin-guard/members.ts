import { isPlainObject } from "rowhouse/plugin-api/engine";

/**
 * Handles the rejections of promises in a list or object, and in the objects of these. No code awaits promises there, and
 * unhandled rejections end the process of a program that does not listen for them.
 */
export function handleRejections(answer: unknown, report: (error: unknown) => void): void {
  for (const part of membersOf(answer)) {
    for (const member of [part, ...membersOf(part)]) if (member instanceof Promise) member.catch(report);
  }
}

function membersOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isPlainObject(value) ? Object.values(value) : [];
}
