import { expect } from "chai";
import * as fc from "fast-check";
import type { Actor, Resource } from "rowhouse/plugin-api";
import { restrictionOf } from "../../../plugins/authorization/restrictions.js";
import { permissions } from "../tokens/vocabulary.js";

/** True when the restrictions have no objection. */
const silent = (actor: Actor | null, action: string, resource: Resource, impliesParents = false): boolean =>
  (restrictionOf(actor, action, { permissions, impliesParents })?.(resource) ?? null) === null;

const T1: Resource = ["one", "t1"];
const T2: Resource = ["one", "t2"];

describe("the restrictions of a token", () => {
  const cases: readonly (readonly [
    restrictions: unknown,
    action: string,
    resource: Resource,
    silent: boolean,
  ])[] = [
    [{}, "view-instance", null, false],
    [{}, "view-database", "one", false],
    [{}, "view-table", T1, false],
    [{ a: ["vi"] }, "view-instance", null, true],
    [{ a: ["view-instance"] }, "view-instance", null, true],
    [{ a: ["vi"] }, "view-database", "one", false],
    [{ a: ["vd"] }, "view-database", "one", true],
    [{ a: ["vd"] }, "view-instance", null, false],
    [{ a: ["vd"] }, "view-table", T1, false],
    [{ a: ["vt"] }, "view-table", T1, true],
    [{ d: { one: ["vd"] } }, "view-database", "one", true],
    [{ d: { one: ["vdd"] } }, "view-database-download", "one", true],
    [{ d: { one: ["es"] } }, "execute-sql", "one", true],
    [{ d: { one: ["es"] } }, "execute-sql", "two", false],
    [{ d: { One: ["es"] } }, "execute-sql", "one", false],
    [{ d: { one: ["ir"] } }, "insert-row", T1, true],
    [{ d: { two: ["ir"] } }, "insert-row", T1, false],
    [{ r: { one: { t1: ["vt"] } } }, "view-table", T1, true],
    [{ r: { one: { t1: ["vt"] } } }, "view-table", T2, false],
    [{ r: { two: { t1: ["vt"] } } }, "view-table", T1, false],
    [{ r: { one: { t1: ["ir"] } } }, "insert-row", "one", false],
    [{ a: ["ct"] }, "create-table", "one", true],
    [{ d: { one: ["ct"] } }, "create-table", "one", true],
    [{ d: { two: ["ir"] }, r: { one: { t1: ["ir"] } } }, "insert-row", T1, true],
    [{ a: ["xx"] }, "view-instance", null, false],
    [null, "view-instance", null, false],
    [true, "view-instance", null, false],
    [[], "view-instance", null, false],
    [["vi"], "view-instance", null, false],
    [{ a: "vi" }, "view-instance", null, false],
    [{ a: { vi: true } }, "view-instance", null, false],
    [{ d: ["vd"] }, "view-database", "one", false],
    [{ d: { one: "vd" } }, "view-database", "one", false],
    [{ r: { one: ["vt"] } }, "view-table", T1, false],
    [{ d: {} }, "view-database", "constructor", false],
    [{ d: {} }, "view-database", "__proto__", false],
  ];
  for (const [restrictions, action, resource, expected] of cases) {
    it(`${JSON.stringify(restrictions)} ${expected ? "let" : "refuse"} ${action} on ${JSON.stringify(resource)}`, () => {
      expect(silent({ id: "root", _r: restrictions }, action, resource)).to.equal(expected);
    });
  }

  it("are none for an actor without them, and for the anonymous", () => {
    expect(silent({ id: "root" }, "drop-table", T1)).to.equal(true);
    expect(silent(null, "drop-table", T1)).to.equal(true);
  });

  it("name the missing action when they refuse", () => {
    const rule = restrictionOf({ _r: {} }, "insert-row", { permissions, impliesParents: false });

    expect(rule?.(T1)?.because).to.contain("insert-row on one/t1");
  });

  it("open the pages above a listed table only with the setting restrictions_imply_parents", () => {
    const actor = { _r: { r: { one: { t1: ["vt"] } } } };

    expect(silent(actor, "view-database", "one", true)).to.equal(true);
    expect(silent(actor, "view-instance", null, true)).to.equal(true);
    expect(silent(actor, "view-database", "two", true)).to.equal(false);
    expect(silent(actor, "view-table", T2, true)).to.equal(false);
    expect(silent(actor, "execute-sql", "one", true)).to.equal(false);
    expect(silent(actor, "view-database", "one")).to.equal(false);
  });
});

describe("the restrictions of any token whatever", () => {
  const name = fc.constantFrom("one", "two", "t1", "__proto__");
  const action = fc.constantFrom(...permissions.keys());
  const resource: fc.Arbitrary<Resource> = fc.oneof(
    fc.constant(null),
    name,
    fc.tuple(name, name) as fc.Arbitrary<readonly [string, string]>,
  );
  const abbreviations = [...permissions.values()].map(({ abbr }) => abbr ?? "");
  const listed = fc.array(fc.oneof(action, fc.constantFrom(...abbreviations)), { maxLength: 3 });
  const wellFormed = fc.record(
    {
      a: listed,
      d: fc.dictionary(name, listed, { maxKeys: 2 }),
      r: fc.dictionary(name, fc.dictionary(name, listed, { maxKeys: 2 }), { maxKeys: 2 }),
    },
    { requiredKeys: [] },
  );

  it("never grant: their only opinion is no", () => {
    fc.assert(
      fc.property(
        fc.anything(),
        action,
        resource,
        fc.boolean(),
        (restrictions, asked, place, impliesParents) => {
          const rule = restrictionOf({ _r: restrictions }, asked, { permissions, impliesParents });

          expect(rule?.(place)?.allowed).to.not.equal(true);
        },
      ),
    );
  });

  it("are silent only about an action that they list", () => {
    fc.assert(
      fc.property(wellFormed, action, resource, (restrictions, asked, place) => {
        fc.pre(silent({ _r: restrictions }, asked, place));
        const text = JSON.stringify(restrictions);
        const abbr = permissions.get(asked)?.abbr;

        expect(text.includes(`"${asked}"`) || text.includes(`"${abbr}"`)).to.equal(true);
      }),
    );
  });

  it("refuse at least as much when something is taken from the list", () => {
    fc.assert(
      fc.property(
        wellFormed,
        action,
        resource,
        fc.constantFrom("a", "d", "r"),
        (full, asked, place, part) => {
          const { [part as "a"]: _taken, ...less } = full;

          expect(silent({ _r: less }, asked, place) && !silent({ _r: full }, asked, place)).to.equal(false);
        },
      ),
    );
  });
});
