import { expect } from "chai";
import { rowhouseFor, type RequestOptions, type TestReply, type TestRowhouse } from "rowhouse/testing";
import editSchema from "rowhouse-plugin-edit-schema";

const PAGE = "/library/books/-/edit-schema";

const served = (): Promise<TestRowhouse> =>
  rowhouseFor({
    tables: { books: [{ id: 1, title: "Emma" }] },
    plugins: [editSchema],
    metadata: { permissions: { "edit-schema": { id: "librarian" } } },
  });

const submit = (rowhouse: TestRowhouse, form: Readonly<Record<string, string>>, as = "librarian") =>
  rowhouse.post(PAGE, { as, form });

const columns = async (rowhouse: TestRowhouse): Promise<string[]> =>
  Object.keys((await rowhouse.rows("books"))[0] ?? {});

describe("edit-schema", () => {
  it("shows the page to actors with the permission", async () => {
    const rowhouse = await served();
    const status = async (options: RequestOptions): Promise<number> =>
      (await rowhouse.get(PAGE, options)).status;

    expect(await status({})).to.equal(403);
    expect(await status({ as: "reader" })).to.equal(403);
    expect(await status({ as: "librarian" })).to.equal(200);
    expect(await status({ as: "root" })).to.equal(403);
  });

  it("shows the page to root without a grant", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] }, plugins: [editSchema] });

    expect((await rowhouse.get(PAGE, { as: "root" })).status).to.equal(200);
    expect((await rowhouse.get(PAGE, { as: "librarian" })).status).to.equal(403);
  });

  it("adds a link to the menu of a table, only for these actors", async () => {
    const rowhouse = await served();
    const page = (as: string): Promise<TestReply> => rowhouse.get("/library/books", { as });

    expect((await page("librarian")).text).to.include(`href="${PAGE}"`);
    expect((await page("reader")).text).not.to.include(PAGE);
  });

  it("renames and adds columns, and sends events", async () => {
    const rowhouse = await served();

    const reply = await submit(rowhouse, { operation: "rename", column: "title", name: 'na"me' });
    await submit(rowhouse, { operation: "add", name: "year", type: "integer" });

    expect([reply.status, reply.headers.location]).to.deep.equal([303, PAGE]);
    expect(await columns(rowhouse)).to.deep.equal(["id", 'na"me', "year"]);
    expect(rowhouse.events.map(({ name }) => name)).to.deep.equal(["alter-table", "alter-table"]);
  });

  it("shows the error of the database, and changes nothing", async () => {
    const rowhouse = await served();

    await submit(rowhouse, { operation: "rename", column: "title", name: "id" });
    const other = await submit(rowhouse, { operation: "rename", column: "nosuch", name: "x" });
    const refused = await submit(rowhouse, { operation: "add", name: "x", type: "text" }, "reader");

    expect([other.status, refused.status]).to.deep.equal([400, 403]);
    expect(await columns(rowhouse)).to.deep.equal(["id", "title"]);
    expect(rowhouse.events).to.deep.equal([]);
  });
});
