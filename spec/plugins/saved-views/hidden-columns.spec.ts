import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";

const emailsForAnn = definePlugin({
  name: "emails-for-ann",
  read_scope: (_rowhouse, { actor }) =>
    actor?.id === "ann" ? null : { table: "people", hiddenColumns: ["email", "home town", "größe"] },
});

const QUERIES: Readonly<Record<string, string>> = {
  filter: "EMAIL__contains=someone",
  sort: "_sort=email",
  search: "_search_email=someone",
  spaces: "home+town=Bath",
  where: "_where=length(%22email%22)+%3E+3",
  groups: "_group=gr~C3~B6~C3~9Fe&_agg=count",
};

const namesIn = (views: readonly { readonly name: string }[]): string[] =>
  views.map(({ name }) => name).toSorted();

describe("shared saved views that name a hidden column", () => {
  let rowhouse: TestRowhouse;
  let folder = "";
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "rowhouse-views-"));
    rowhouse = await rowhouseFor({
      tables: { people: [{ id: 1, name: "Emma", email: "emma@example.com", "home town": "Bath", größe: 1 }] },
      options: { internal: join(folder, "internal.db") },
      plugins: [emailsForAnn],
    });
    for (const [name, query] of Object.entries({ ...QUERIES, harmless: "name=email2&_sort=name" })) {
      await save(name, query);
    }
    await save("chart", "", "#chart=bar&x=email");
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const save = (name: string, query: string, fragment = "") =>
    rowhouse.post("/library/people/-/views", { as: "ann", json: { name, query, fragment, private: false } });
  const list = async (as: string) =>
    namesIn((await rowhouse.get("/library/people/-/views.json", { as })).json.views);
  const all = [...Object.keys(QUERIES), "chart", "harmless"].toSorted();

  it("are not in the list of actors who may not see it", async () => {
    expect(await list("ann")).to.deep.equal(all);
    expect(await list("bob")).to.deep.equal(["harmless"]);
  });

  it("are in neither their dashboards nor their jump menu", async () => {
    const { json } = await rowhouse.get("/library/people/-/views.json", { as: "ann" });
    const made = await rowhouse.post("/-/dashboards", {
      as: "ann",
      json: { name: "All", private: false, views: json.views.map(({ id }: { id: string }) => id) },
    });
    const shown = async (as: string) =>
      namesIn((await rowhouse.get(`/-/dashboards/${made.json.dashboard.id}.json`, { as })).json.views);

    expect(await shown("ann")).to.deep.equal(all);
    expect(await shown("bob")).to.deep.equal(["harmless"]);
    expect((await rowhouse.get("/-/jump.json?q=filter", { as: "bob" })).text).not.to.include("EMAIL");
    expect((await rowhouse.get("/-/jump.json?q=filter", { as: "ann" })).text).to.include("EMAIL");
  });

  it("stay in the list of their owner", async () => {
    await rowhouse.post("/library/people/-/views", { as: "bob", json: { name: "own", query: "email=x" } });

    expect(await list("bob")).to.deep.equal(["harmless", "own"]);
  });
});

const pinsForAnn = definePlugin({
  name: "pins-for-ann",
  read_scope: (_rowhouse, { actor }) =>
    actor?.id === "ann" ? null : { table: "visits", hiddenColumns: ["pin"] },
});

const through = (table: string, column: string) =>
  `_through=${encodeURIComponent(JSON.stringify({ table, column, value: "x" }))}`;

describe("shared saved views that name a hidden table", () => {
  const queries: Readonly<Record<string, string>> = {
    through: through("vault", "code"),
    through_column: through("visits", "pin"),
    where: "_where=id+in+(select+person+from+VAULT)",
    search: "_fts_table=vault&_search=x",
    escaped: through("vault", "code").replace("_", "%5F"),
  };

  it("are not in the list of actors who may not see it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "rowhouse-views-"));
    const rowhouse = await rowhouseFor({
      tables: {
        people: [{ id: 1, name: "Emma" }],
        vault: "id integer primary key, code text, person integer references people (id)",
        visits: "id integer primary key, pin text, day text, person integer references people (id)",
      },
      options: { internal: join(folder, "internal.db") },
      metadata: { databases: { library: { tables: { vault: { allow: { id: "ann" } } } } } },
      plugins: [pinsForAnn],
    });
    const open = { open: through("visits", "day"), filter: "name=vault" };
    for (const [name, query] of Object.entries({ ...queries, ...open })) {
      await rowhouse.post("/library/people/-/views", { as: "ann", json: { name, query, private: false } });
    }
    const list = async (as: string) =>
      namesIn((await rowhouse.get("/library/people/-/views.json", { as })).json.views);

    expect(await list("ann")).to.deep.equal([...Object.keys(queries), ...Object.keys(open)].toSorted());
    expect(await list("bob")).to.deep.equal(["filter", "open"]);
    await rowhouse.close();
    await rm(folder, { recursive: true, force: true });
  });
});
