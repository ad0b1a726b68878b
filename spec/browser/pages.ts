import { SERVICE_PAGES } from "./service-pages.js";

const LONG = "long text ".repeat(300);
/** Of a query and its parameter. */
const LONG_NAME = `a_name_longer_than_a_phone_is_wide_${"x".repeat(40)}`;
const LONG_TABLE = "a table with a name that takes several lines of a phone";
const NUMBERS = Array.from({ length: 200 }, (_, index) => index).join();
export const LONG_TABLE_PATH = `/library/${LONG_TABLE.replaceAll(" ", "~20")}`;
/** Tables with each kind of value. */
export const SQL = `
  create table kinds (id integer primary key, name text);
  insert into kinds values (1, 'Novel'), (2, 'Play');
  create table books (
    id integer primary key, title text, kind integer references kinds(id), year integer, price real, cover blob,
    home text, remark text
  );
  insert into books values
    (1, 'Emma', 1, 1815, 7.5, x'00ff', 'https://example.org/emma', ''),
    (2, 'Hamlet', 2, 1603, 9.0, null, null, null),
    (3, 'שלום 👩‍👩‍👧‍👦', null, null, null, null, null, '${LONG}');
  create virtual table books_fts using fts5(title, content='books');
  create table pairs (a text, b text, primary key (a, b));
  insert into pairs values ('x', 'y');
  create table "nothing" (id integer primary key);
  create table wide (id integer primary key, a_column_with_a_name_much_longer_than_any_phone_is_wide_${"x".repeat(60)} text, ${columns(60)});
  insert into wide (id) values (1), (2);
  create table people (id integer primary key, email text, home text, settings text, face text, notes text);
  insert into people values
    (1, 'ann@example.org', 'https://example.org/', '{"a list": [${NUMBERS}]}', 'data:,', 'one' || char(10) || ' two' || char(10) || '${LONG}'),
    (2, 'nobody', 'javascript:alert(1)', '{', 'http://example.org/a.png', null);
  create table "${LONG_TABLE}" (id integer primary key);
  create view recent as select title, year from books;
`;
export const METADATA = {
  title: "A library",
  description: "Books and what they are",
  license: "CC0",
  license_url: "https://example.org/cc0",
  databases: {
    library: {
      tables: {
        books: { description: "All of them", columns: { year: "Of the first print" }, facets: ["kind"] },
        pairs: { allow: { id: "root" } },
        people: {
          column_types: { email: "email", home: "url", settings: "json", face: "image", notes: "textarea" },
        },
      },
      queries: {
        by_year: { sql: "select * from books where year > :year", title: "After a year" },
        add: { sql: "insert into kinds (name) values (:name)", write: true },
        [LONG_NAME]: { sql: `select :${LONG_NAME} as value`, allow: { id: "root" } },
      },
    },
  },
};
/** Every page, and those of special requests. */
export const PATHS = [
  "/",
  "/library",
  "/library/books",
  "/library/books?_facet=year&title__contains=a&_search=emma&_where=year+>+1&_sort_desc=year",
  "/library/books?title=nobody",
  "/library/books?_size=1",
  "/library/books?_group=year&_agg=count,min(title)",
  "/library/books?_order=-year,title",
  "/library/books/1",
  "/library/books/3",
  "/library/pairs",
  "/library/pairs/x,y",
  "/library/people",
  "/library/people/1",
  "/library/nothing",
  "/library/wide",
  "/library/recent",
  LONG_TABLE_PATH,
  "/library?sql=select+*+from+books+where+id+<+:id&id=9",
  "/library?sql=select+*+from+[nothing]",
  "/library?sql=selec",
  "/library/by_year?year=1700",
  "/library/add",
  `/library/${LONG_NAME}`,
  "/library/books/-/columns",
  "/library/books/-/new-row",
  "/library/books/-/import",
  "/library/books/-/structure",
  "/library/books/-/remove",
  "/library/books/1/-/edit",
  "/library/books/1/-/remove",
  "/library/-/diagram",
  "/library/-/openapi?table=books",
  "/library/-/new-table",
  "/library/-/write-sql",
  "/library/-/import",
  "/-/api?path=/library/books.json",
  "/-/jump?q=nowhere",
  "/-/jump?q=import+books",
  "/-/jump?q=emma",
  "/-/settings?q=nowhere&changed=1",
  "/-/create-token?place=library/books",
  "/-/permissions?action=view-table&result=allowed",
  "/-/check?actor=null&action=view-table&parent=library&child=pairs",
  `/-/check?actor=null&action=view-query&parent=library&child=${LONG_NAME}`,
  "/-/allowed?actor=null&action=view-table&page_size=3",
  "/-/allowed?action=view-query&child=none&parent=library",
  "/-/rules?actor=null&action=view-table",
  "/-/tokens",
  "/-/audit",
  "/-/logout",
  "/missing",
  "/missing?sql=select+:a&a=1",
  "/library/books?_sort=missing&title__contains=a",
  ...SERVICE_PAGES,
];

function columns(count: number): string {
  return Array.from({ length: count }, (_, index) => `column_${index} text`).join(", ");
}
