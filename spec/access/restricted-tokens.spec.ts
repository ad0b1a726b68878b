import { expect } from "chai";
import * as fc from "fast-check";
import { definePlugin, type Actor, type Chain, type Resource, type Rowhouse } from "rowhouse/plugin-api";
import { visibilityOf } from "rowhouse/plugin-api/access";
import { rowhouseFor } from "rowhouse/testing";

const ACTIONS = (
  "view-instance view-database view-table view-query execute-sql insert-row create-table drop-table " +
  "permissions-debug from-a-plugin nobody-registered"
).split(" ");
const NAMES = ["library", "other", "docs", "Docs", "constructor"];

const action = fc.constantFrom(...ACTIONS);
const name = fc.constantFrom(...NAMES);
const resource: fc.Arbitrary<Resource> = fc.oneof(fc.constant(null), name, fc.tuple(name, name));
const owner: fc.Arbitrary<Actor> = fc.constantFrom<Actor>(
  { id: "root" },
  { id: "ann" },
  { id: "ben", staff: true },
);
const ABBREVIATIONS = ["vi", "vd", "vt", "vq", "es", "ir", "ct", "dt", "pd", "fap"];
const listed = fc.array(fc.oneof(action, fc.constantFrom(...ABBREVIATIONS)), { maxLength: 4 });
const wellFormed = fc.record(
  {
    a: listed,
    d: fc.dictionary(name, listed, { maxKeys: 2 }),
    r: fc.dictionary(name, fc.dictionary(name, listed, { maxKeys: 2 }), { maxKeys: 2 }),
  },
  { requiredKeys: [] },
);
const restrictions: fc.Arbitrary<unknown> = fc.oneof({ arbitrary: wellFormed, weight: 5 }, fc.anything());

/** Rules of every kind, and a plugin that allows everything. */
const metadata = {
  allow: { id: "*" },
  permissions: { "from-a-plugin": { staff: true } },
  databases: {
    library: {
      allow_sql: { id: "ann" },
      permissions: { "insert-row": { id: ["ann", "ben"] } },
      tables: { docs: { allow: { staff: true }, permissions: { "drop-table": { id: "ann" } } } },
    },
    other: { allow: { id: "ben" } },
  },
};
const generous = definePlugin({
  name: "generous",
  register_permissions: () => ({
    name: "from-a-plugin",
    abbr: "fap",
    description: null,
    takes_database: true,
    takes_resource: true,
    default: true,
  }),
  permission_allowed: (_rowhouse, { actor }) => (actor?.["staff"] === true ? true : null),
});

describe("a token with restrictions", () => {
  let rowhouse: Rowhouse;
  before(async () => {
    ({ rowhouse } = await rowhouseFor({
      tables: { docs: [{ id: 1 }] },
      databases: { other: "create table docs (id integer primary key)" },
      metadata,
      plugins: [generous],
    }));
  });

  it("never may what its actor may not", () =>
    check(
      fc.asyncProperty(owner, restrictions, action, resource, async (actor, _r, asked, place) => {
        const alone = await rowhouse.permissions.allowed(actor, asked, place);
        const restricted = await rowhouse.permissions.allowed({ ...actor, token: "rhtok", _r }, asked, place);

        expect(restricted && !alone).to.equal(false);
      }),
    ));

  it("never may what it does not list", () =>
    check(
      fc.asyncProperty(owner, restrictions, action, resource, async (actor, _r, asked, place) => {
        const restricted = await rowhouse.permissions.allowed({ ...actor, token: "rhtok", _r }, asked, place);

        expect(restricted && !lists(rowhouse, _r, asked, place)).to.equal(false);
      }),
    ));

  it("may exactly what both allow", () =>
    check(
      fc.asyncProperty(owner, wellFormed, action, resource, async (actor, _r, asked, place) => {
        const restricted = await rowhouse.permissions.allowed({ ...actor, token: "rhtok", _r }, asked, place);
        const both =
          lists(rowhouse, _r, asked, place) && (await rowhouse.permissions.allowed(actor, asked, place));

        expect(restricted).to.equal(both);
      }),
    ));

  it("never opens a page that its actor may not see, singly and in bulk", () =>
    check(
      fc.asyncProperty(
        owner,
        restrictions,
        fc.constant("view-table"),
        resource,
        async (actor, _r, first, place) => {
          const chain: Chain = [
            [first, place],
            ["view-database", "library"],
            ["view-instance", null],
          ];
          const token = { ...actor, token: "rhtok", _r };
          const opens = async (who: Actor): Promise<boolean> =>
            rowhouse.permissions.require(who, chain).then(
              () => true,
              () => false,
            );
          const [one, many] = [
            await opens(token),
            await visibilityOf(rowhouse.permissions, token, [chain, chain]),
          ];

          expect(one && !(await opens(actor))).to.equal(false);
          expect(many.map(({ visible }) => visible)).to.deep.equal([one, one]);
        },
      ),
    ));
});

/** The published rule, said once more in other words. */
function lists(rowhouse: Rowhouse, restrictions: unknown, action: string, resource: Resource): boolean {
  const names = [action, rowhouse.permissions.registered.get(action)?.abbr ?? action];
  const at = (...path: readonly string[]): unknown => {
    let value: unknown = restrictions;
    for (const key of path) {
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      if (!isObject || !Object.hasOwn(value as object, key)) return [];
      value = (value as Record<string, unknown>)[key];
    }
    return value;
  };
  const database = typeof resource === "string" ? resource : resource?.[0];
  const places = [
    at("a"),
    ...(database === undefined ? [] : [at("d", database)]),
    ...(Array.isArray(resource) ? [at("r", ...(resource as readonly string[]))] : []),
  ];
  return places.some((list) => Array.isArray(list) && names.some((one) => list.includes(one)));
}

const check = (property: fc.IAsyncProperty<[Actor, unknown, string, Resource]>): Promise<void> =>
  fc.assert(property, { numRuns: 400 });
