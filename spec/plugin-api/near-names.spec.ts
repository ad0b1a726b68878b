import { expect } from "chai";
import { nearNames } from "rowhouse/plugin-api/names";

describe("near names", () => {
  const cases: readonly (readonly [name: string, known: readonly string[], near: readonly string[]])[] = [
    ["setings", ["settings", "secret", "static"], ["settings"]],
    ["--nope", ["--open", "--token", "--port"], ["--open", "--token"]],
    ["plugin-dir", ["plugins-dir", "template-dir", "host"], ["plugins-dir"]],
    ["zzz", ["settings", "host"], []],
    ["", ["host"], []],
  ];
  for (const [name, known, near] of cases) {
    it(`of ${JSON.stringify(name)} are ${JSON.stringify(near)}, best first`, () => {
      expect(nearNames(name, known)).to.deep.equal(near);
    });
  }
});
