import { expect } from "chai";
import { type TestReply, type TestRowhouse, rowhouseFor } from "rowhouse/testing";

const SQL = `
  create table makers (id integer primary key, name text);
  insert into makers values (1, 'Acme'), (2, 'Bolt & Co'), (3, null);
  create table products (id integer primary key, name text not null, maker_id integer references makers(id), price real, body blob);
  insert into products values (1, 'Anvil', 1, 95.5, x'ff00'), (2, 'Bolt', 2, 0.25, null), (3, 'Crate', 3, 12.0, null), (4, 'Dowel', null, 0.1, null);
  create table stock (shop text, sku text, qty integer, primary key (shop, sku));
  insert into stock values ('north', 'a/1', 5);
  create table log (message text);
  insert into log values ('start');
  create view cheap as select id, name, price from products where price < 50;
`;

const METADATA = {
  title: "Shops",
  license: "ODbL",
  license_url: "https://example.org/odbl",
  databases: {
    library: {
      tables: {
        products: { columns: { name: "As printed on the box" }, description_html: "<em>All</em> of it" },
      },
      queries: { by_name: { sql: "select * from products where name = :name", title: "By name" } },
    },
  },
};

/** The tables, views and queries of the database `library` that a page links. */
const linkedNames = ({ text }: TestReply): string[] =>
  [...text.matchAll(/href="\/library\/(\w+)"/g)].map(([, name = ""]) => name);

describe("pages", () => {
  let rowhouse: TestRowhouse;

  before(async () => {
    rowhouse = await rowhouseFor({ sql: SQL, metadata: METADATA });
  });

  const page = async (path: string): Promise<string> => (await rowhouse.get(path)).text;

  it("name databases, and what is in them, on the index", async () => {
    const text = await page("/");

    expect(text).to.include("<title>Shops: library</title>");
    expect(text).to.include("9 rows in 4 tables, 1 view");
    expect(text).to.include('<a href="/library/products" dir="auto" title="4 rows">products</a>');
  });

  it("list databases with the names of variables in templates", async () => {
    const names = ["menu", "messages", "urls", "crumbs", "assets", "title", "description", "__proto__"];
    const { get } = await rowhouseFor({
      databases: Object.fromEntries(names.map((name) => [name, "create table t (id)"])),
    });

    const { status, text } = await get("/");

    expect(status).to.equal(200);
    for (const name of names) expect(text).to.include(`<a href="/${name}" dir="auto">${name}</a>`);
    expect(text).to.include("<title>Rowhouse: library, menu, messages,");
  });

  it("separate the shapes of JSON from their label", async () => {
    expect(await page("/library/products")).to.match(/JSON shape: <a [^>]+>default<\/a>, <a /);
  });

  it("list tables, views and queries of a database, with a box for SQL", async () => {
    const text = await page("/library");

    expect(text).to.include('<a href="/library/stock" dir="auto">stock</a>');
    expect(text).to.include("shop, sku, qty");
    expect(text).to.include('<a href="/library/cheap" dir="auto">cheap</a>');
    expect(text).to.match(/<a href="\/library\/by_name" title="select [^"]*" dir="auto">By name<\/a>/);
    expect(text).to.match(/<textarea [^>]*name="sql"[^>]*>select \* from log<\/textarea>/);
  });

  it("list the same to those who may not run SQL, without the box", async () => {
    const closed = await rowhouseFor({ sql: SQL, settings: { default_allow_sql: false } });

    const { status, text } = await closed.get("/library");

    expect(status).to.equal(200);
    expect(text).to.include('href="/library/products"');
    expect(text).to.not.include('name="sql"');
    expect((await closed.get("/library.json")).json.table_columns).to.deep.equal({});
  });

  it("find names among many, without scripts too", async () => {
    const tables = Object.fromEntries(
      Array.from({ length: 25 }, (_, index) => [`log_${index}`, [{ id: 1 }]]),
    );
    const many = await rowhouseFor({ tables, sql: "create view recent as select 1 as one" });
    const all = await many.get("/library");
    expect(all.text).to.include('<a href="#tables">25 tables</a>');
    expect(all.text).to.include('<a href="#views">1 view</a>');
    expect(linkedNames(await many.get("/library?_find=7+LOG"))).to.deep.equal(["log_17", "log_7"]);
    expect(linkedNames(await many.get("/library?_find=rec"))).to.deep.equal(["recent"]);
    const none = await many.get("/library?_find=no+such");
    expect(linkedNames(none)).to.deep.equal([]);
    expect(none.text).to.match(/<a href="\/library">Show all<\/a>/);
  });

  it("show rows with links: to the row, to the labelled other row, to the blob", async () => {
    const text = await page("/library/products");

    expect(text).to.include('<td class="col-id type-pk"><a href="/library/products/1">1</a></td>');
    expect(text).to.include('<a href="/library/makers/2">Bolt &amp; Co</a>&nbsp;<em>2</em>');
    expect(text).to.include('<a href="/library/makers/3">-</a>&nbsp;<em>3</em>');
    expect(text).to.include('href="/library/products/1.blob?_blob_column=body"');
    expect(text).to.include('<td class="col-price type-float"><span title="12.0">12.00</span></td>');
  });

  it("link rows of compound keys and of rowids from a column of their own", async () => {
    expect(await page("/library/stock")).to.include('<a href="/library/stock/north,a~2F1">north,a/1</a>');
    expect(await page("/library/log")).to.include(
      '<td class="col-Link type-pk"><a href="/library/log/1">1</a>',
    );
    expect(await page("/library/cheap")).to.not.include("type-pk");
  });

  it("show a key that no row path can have as a cell", async () => {
    const hashes = await rowhouseFor({
      sql: `create table hashes (hash blob primary key, name text);
        insert into hashes values (x'00ff', 'a'), ('text', 'b')`,
    });

    const { text } = await hashes.get("/library/hashes");
    await hashes.close();

    expect(text).to.include('<td class="col-hash type-pk">&lt;Binary:&nbsp;2&nbsp;bytes&gt;</td>');
    expect(text).to.include('<td class="col-hash type-pk"><a href="/library/hashes/text">text</a></td>');
  });

  it("mark the sorted heading and turn its direction", async () => {
    expect(await page("/library/products")).to.include(
      '<a href="/library/products?_sort_desc=id" rel="nofollow">id&nbsp;<span aria-hidden="true">▲</span></a>',
    );
    const descending = await page("/library/products?_sort_desc=name&_next=Dowel,4&price__gt=0");

    expect(descending).to.include(
      'href="/library/products?price__gt=0&amp;_sort=name" rel="nofollow">name&nbsp;<span aria-hidden="true">▼</span></a>',
    );
  });

  it("keep filters in the form, one row each and an empty one", async () => {
    const text = await page("/library/products?name__contains=o&_facet=maker_id");

    expect(text).to.match(/name="_filter_column_1"[^]*<option selected value="name">/);
    expect(text).to.match(/name="_filter_op_1"[^]*<option value="contains" selected>/);
    expect(text).to.include('name="_filter_value_1" value="o"');
    expect(text).to.include('name="_filter_column" ');
    expect(text).to.include('<input type="hidden" name="_facet" value="maker_id">');
    expect(text).to.include('<option value="isnull__1">is null</option>');
  });

  it("keep the order in the form if its column is hidden", async () => {
    const text = await page("/library/products?_sort_desc=price&_col=name");
    const column = '<option value="price" selected>Sort by price</option>';

    expect(text).to.include(column);
    expect(text).to.match(/name="_sort_by_desc" value="on" checked/);
    expect(await page("/library/products?_col=name")).to.not.include("Sort by price");
  });

  it("say how many rows, in words", async () => {
    expect(await page("/library/products?name=Bolt")).to.match(
      /<h2 class="summary[^"]*" dir="auto">1 row where name = &quot;Bolt&quot;<\/h2>/,
    );
  });

  it("say what to do when nothing matches", async () => {
    const text = await page("/library/products?name=Nothing");

    expect(text).to.include("<strong>0 records</strong>");
    expect(text).to.include('<a class="button" href="/library/products">Show all rows</a>');
  });

  it("offer to add tables to a database without any, to those who may", async () => {
    const empty = await rowhouseFor({ sql: "select 1" });

    const { text: ofRoot } = await empty.get("/library", { as: "root" });
    const { text: ofAnyone } = await empty.get("/library");

    expect(ofRoot).to.match(
      /class="empty">[^]*<a class="button" href="\/library\/-\/new-table">Create a table<\/a>/,
    );
    expect(ofRoot).to.include('<a class="button quiet" href="/library/-/import">');
    expect(ofAnyone).to.include("There are no tables here that you may see.");
    expect(ofAnyone).not.to.include('class="button quiet" href="/library');
  });

  it("show facets, with a way to take them away", async () => {
    const text = await page("/library/products?_facet=maker_id");

    expect(text).to.include('id="facet-maker_id"');
    expect(text).to.match(
      /<a href="[^"]*maker_id=1" rel="nofollow" dir="auto" data-facet-value="1">Acme<\/a>/,
    );
    expect(text).to.include('aria-label="Remove facet maker_id"');
  });

  it("name the menus of facets and exports, and the way to the next page", async () => {
    const kinds = ["a", "a", "b"].map((kind, index) => ({ id: index + 1, kind }));
    const books = await rowhouseFor({ tables: { books: kinds } });

    const { text } = await books.get("/library/books?_size=2");

    expect(text).to.match(/Suggested facets:[^]*?kind/);
    expect(text).to.include('<section id="export" class="export" aria-label="Advanced export">');
    expect(text).to.match(/<a [^>]*rel="next" aria-label="Next page">/);
  });

  it("show a row whole, with those that point at it", async () => {
    const text = await page("/library/makers/1");

    expect(text).to.include('<bdi class="suffix">makers: 1</bdi></h1>');
    expect(text).to.match(
      /<a href="\/library\/products\?maker_id=1">1 row<\/a> from <span dir="auto">maker_id/,
    );
  });

  it("show a query's results, and its error beside the editor", async () => {
    expect(await page("/library?sql=select+name+from+makers+where+id=:id&id=1")).to.include("Acme");
    const failed = await rowhouse.get("/library?sql=select+nosuch");

    expect(failed.status).to.equal(400);
    expect(failed.text).to.include('role="alert">no such column: nosuch</p>');
    expect(failed.text).to.match(/<textarea [^>]*>select nosuch<\/textarea>/);
  });

  it("offer themselves as JSON in head and header", async () => {
    const reply = await rowhouse.get("/library/products?name=Bolt");
    const url = `${rowhouse.origin}/library/products.json?name=Bolt`;

    expect(reply.headers["link"]).to.equal(`${url}; rel="alternate"; type="application/json+rowhouse"`);
    expect(reply.text).to.include(`<link rel="alternate" type="application/json+rowhouse" href="${url}">`);
  });

  it("is linked in formats that can be fetched if the extension of its address is unknown", async () => {
    for (const path of ["/library.exe", "/library/products.exe?_size=1"]) {
      const { text } = await rowhouse.get(path);
      const [, href = ""] =
        /type="application\/json\+rowhouse" href="http:\/\/[^/]+([^"]*)"/.exec(text) ?? [];

      const reply = await rowhouse.get(href.replaceAll("&amp;", "&"));

      expect(href, path).to.include("_format=json");
      expect(reply.headers["content-type"], href).to.equal("application/json; charset=utf-8");
    }
    const csv = await rowhouse.get("/library/products.exe?_format=csv&_size=0");
    expect(csv.headers["content-type"]).to.equal("text/plain; charset=utf-8");
    expect((await rowhouse.get("/library/products.json?_format=csv")).json).to.have.property("rows");
  });

  it("export CSV if the extension of their address is unknown", async () => {
    const text = await page("/library/products.exe?name=Bolt&_format=exe");
    const [form = ""] =
      /<form action="[^"]*" method="get">\s*<p class="csv-options">[^]*?<\/form>/.exec(text) ?? [];
    const fields = [...form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const query = new URLSearchParams(
      fields.map(([, name = "", value = ""]): [string, string] => [name, value]),
    );

    const csv = await rowhouse.get(`${/action="([^"]*)"/.exec(form)?.[1]}?${query}`);

    expect(csv.headers["content-type"]).to.equal("text/plain; charset=utf-8");
    expect(csv.text).to.match(/^id,name,[^]*\r\n2,Bolt,/);
  });

  it("say which templates were considered", async () => {
    expect(await page("/library/products")).to.include(
      "<!-- Templates considered: table-library-products.html, *table.html -->",
    );
  });

  it("take description_html as markup and inherit the licence with its address", async () => {
    const text = await page("/library/products");

    expect(text).to.include("<em>All</em> of it");
    expect(text).to.include('Data license: <a href="https://example.org/odbl">ODbL</a>');
  });

  it("carry classes for styling", async () => {
    expect(await page("/")).to.include('<body class="index">');
    expect(await page("/library")).to.include('<body class="db db-library">');
    expect(await page("/library/products")).to.include('<body class="table db-library table-products">');
    expect(await page("/library/products/1")).to.include('<body class="row db-library table-products">');
    expect(await page("/library?sql=select+1")).to.include('<body class="query db-library">');
  });

  it("have an error page with the status as heading and no crumbs", async () => {
    const { status, text } = await rowhouse.get("/library/nothing");

    expect(status).to.equal(404);
    expect(text).to.include("<h1>Not found</h1>").and.include("Table not found: nothing");
    expect(text).to.not.include(">home</a>");
  });

  it("fit a phone's data plan: 100 rows of ten columns stay below 100 kB", async () => {
    const columns = Array.from(
      { length: 10 },
      (_, index) => `'value ' || i || '.${index}' as column_${index}`,
    );
    const wide = await rowhouseFor({
      sql: `create table wide as with recursive n(i) as (select 1 union all select i + 1 from n where i < 200) select ${columns.join(", ")} from n`,
    });

    const { bytes } = await wide.get("/library/wide");

    expect(bytes.length).to.be.lessThan(100_000);
  });
});

describe("the context of a template", () => {
  it("is shown with ?_context=1 where template_debug is on, without the insides of databases", async () => {
    const rowhouse = await rowhouseFor({ sql: SQL, settings: { template_debug: true } });

    for (const path of [
      "/",
      "/library",
      "/library/products",
      "/library/products/1",
      "/library?sql=select+1",
    ]) {
      const { status, text } = await rowhouse.get(`${path}${path.includes("?") ? "&" : "?"}_context=1`);

      expect(status).to.equal(200);
      expect(text)
        .to.match(/^<pre>\{/)
        .and.include("body_class")
        .and.not.include(".db");
    }
  });

  it("is not shown without the setting", async () => {
    const rowhouse = await rowhouseFor({ sql: SQL });

    expect((await rowhouse.get("/library?_context=1")).text).to.match(/^<!doctype html>/);
  });
});

describe("links of foreign keys", () => {
  it("lead to the rows with a value if the key is a column whose name differs from the primary key in É only", async () => {
    const rowhouse = await rowhouseFor({
      sql: `
        create table kinds ("é" integer primary key, "É" text unique);
        insert into kinds values (1, 'a'), (2, 'b');
        create table things (id integer primary key, kind text references kinds ("É"));
        insert into things values (1, 'b');`,
    });

    const { text } = await rowhouse.get("/library/things");

    expect(text).to.include('href="/library/kinds?%C3%89=b"');
  });
});

describe("pages of plugins", () => {
  it("give cells: markup as it is, text escaped, the rest as usual", async () => {
    const rowhouse = await rowhouseFor({
      sql: SQL,
      plugins: [
        {
          name: "stars",
          render_cell: (_rowhouse, { value, column }) =>
            column === "name" && value === "Anvil" ? "<*>" : null,
        },
      ],
    });

    const { text } = await rowhouse.get("/library/products");

    expect(text).to.include('<td class="col-name type-str">&lt;*&gt;</td>');
    expect(text).to.include('<td class="col-name type-str">Bolt</td>');
  });

  it("get the value of each cell, also of columns with the same name", async () => {
    const rowhouse = await rowhouseFor({
      plugins: [{ name: "marks", render_cell: (_rowhouse, { value }) => `<${String(value)}>` }],
    });

    const { text } = await rowhouse.get("/library?sql=select+1+as+a,+2+as+a");

    expect(text).to.include("&lt;1&gt;").and.to.include("&lt;2&gt;");
  });

  it("add scripts as files of our own origin", async () => {
    const rowhouse = await rowhouseFor({
      plugins: [{ name: "hello", extra_body_script: () => "console.log('</script>')" }],
    });

    const { text } = await rowhouse.get("/");
    const [, path = ""] = /src="(\/-\/page-scripts\/[0-9a-f]+\.js)"/.exec(text) ?? [];
    const script = await rowhouse.get(path);

    expect(script.text).to.equal("console.log('</script>')");
    expect(script.headers["content-type"]).to.match(/^text\/javascript/);
  });

  it("add links to the menu, which only those see who have one", async () => {
    const rowhouse = await rowhouseFor({
      plugins: [
        {
          name: "links",
          menu_links: (_rowhouse, { actor }) => (actor ? { href: "/x", label: "<X>" } : null),
        },
      ],
    });

    expect((await rowhouse.get("/")).text).to.not.include("site-menu");
    expect((await rowhouse.get("/", { as: { id: "ann", name: "Ann" } })).text)
      .to.include('<a href="/x">&lt;X&gt;</a>')
      .and.include("Ann");
  });
});
