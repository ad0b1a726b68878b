import type { Transaction } from "rowhouse/plugin-api";
import { provenance, readRows } from "./data-sets.js";
import { addFullText, insertRows, isoDate, lookupTable, number, runAll, type DemoDatabase } from "./fill.js";

/** Small tables for experiments, one of them for writing. */
export const workshop: DemoDatabase = {
  name: "workshop",
  metadata: {
    title: "Workshop",
    description: "Small tables to try things on, one of them for writing.",
    tables: {
      notes: {
        title: "Notes",
        description: "Add one with the query add_note, or sign in as root and edit them here.",
        label_column: "title",
        sort_desc: "created",
        facets: [{ array: "tags" }],
      },
      penguins: {
        ...provenance("penguins.json"),
        title: "Penguins",
        facets: ["species_id", "island_id", "sex"],
        units: { beak_length: "mm", beak_depth: "mm", flipper_length: "mm", body_mass: "g" },
      },
      cars: {
        ...provenance("cars.json"),
        title: "Cars",
        label_column: "name",
        facets: ["origin_id", "cylinders", "year"],
        units: { weight: "lb" },
      },
      prices: {
        ...provenance("stocks.csv"),
        title: "Stock prices",
        sort_desc: "day",
        facets: ["company_id"],
        columns: { price: "In US dollars" },
      },
      companies: { title: "Companies", label_column: "symbol" },
      species: { title: "Species of penguins", label_column: "name" },
      islands: { title: "Islands", label_column: "name" },
      origins: { title: "Where cars come from", label_column: "name" },
    },
    queries: {
      add_note: {
        title: "Add a note",
        sql: "insert into notes (title, body, tags, created) values (:title, :body, json_array(:tag), strftime('%Y-%m-%d %H:%M:%S', 'now'))",
        params: ["title", "body", "tag"],
        write: true,
        on_success_message: "Note added",
        on_success_redirect: "/workshop/notes",
      },
      heavier_than: {
        title: "Penguins heavier than",
        description: "Weight in grams.",
        sql: "select species.name as species, islands.name as island, sex, body_mass from penguins join species on species.id = species_id join islands on islands.id = island_id where body_mass > cast(:grams as integer) order by body_mass desc",
        params: ["grams"],
      },
    },
  },
  async build(transaction) {
    await addNotes(transaction);
    await addPenguins(transaction);
    await addCars(transaction);
    await addPrices(transaction);
  },
};

async function addNotes(transaction: Transaction): Promise<void> {
  await transaction.run(`create table notes (
  id integer primary key,
  title text not null,
  body text,
  tags text not null default '[]',
  created text not null
)`);
  await insertRows(transaction, "notes", [
    {
      title: "Welcome",
      body: "Everything here may be changed and broken.",
      tags: ["hello"],
      created: "2024-01-01 09:00:00",
    },
    {
      title: "Facets",
      body: "Lists such as the tags of this note can be faceted, too.",
      tags: ["hello", "facets"],
      created: "2024-01-02 09:00:00",
    },
    {
      title: "Search",
      body: "Any word of a title or a body is found, plural or not.",
      tags: ["search"],
      created: "2024-01-03 09:00:00",
    },
  ]);
  await addFullText(transaction, "notes", ["title", "body"]);
}

async function addPenguins(transaction: Transaction): Promise<void> {
  const rows = readRows("penguins.json");
  const speciesId = await lookupTable(
    transaction,
    "species",
    rows.map(({ Species }) => Species),
  );
  const islandId = await lookupTable(
    transaction,
    "islands",
    rows.map(({ Island }) => Island),
  );
  await transaction.run(`create table penguins (
  id integer primary key,
  species_id integer not null references species(id),
  island_id integer not null references islands(id),
  sex text,
  beak_length real,
  beak_depth real,
  flipper_length integer,
  body_mass integer
)`);
  await insertRows(
    transaction,
    "penguins",
    rows.map((row, index) => ({
      id: index + 1,
      species_id: speciesId(row["Species"]),
      island_id: islandId(row["Island"]),
      sex: typeof row["Sex"] === "string" && row["Sex"] !== "." ? row["Sex"].toLowerCase() : null,
      beak_length: row["Beak Length (mm)"],
      beak_depth: row["Beak Depth (mm)"],
      flipper_length: row["Flipper Length (mm)"],
      body_mass: row["Body Mass (g)"],
    })),
  );
}

async function addCars(transaction: Transaction): Promise<void> {
  const rows = readRows("cars.json");
  const originId = await lookupTable(
    transaction,
    "origins",
    rows.map(({ Origin }) => Origin),
  );
  await transaction.run(`create table cars (
  id integer primary key,
  name text not null,
  origin_id integer not null references origins(id),
  year integer not null,
  cylinders integer,
  horsepower integer,
  miles_per_gallon real,
  weight integer
)`);
  await insertRows(
    transaction,
    "cars",
    rows.map((row, index) => ({
      id: index + 1,
      name: row["Name"],
      origin_id: originId(row["Origin"]),
      year: number(String(row["Year"]).slice(0, 4)),
      cylinders: row["Cylinders"],
      horsepower: row["Horsepower"],
      miles_per_gallon: row["Miles_per_Gallon"],
      weight: row["Weight_in_lbs"],
    })),
  );
  await addFullText(transaction, "cars", ["name"]);
}

async function addPrices(transaction: Transaction): Promise<void> {
  const rows = readRows("stocks.csv");
  const symbols = [...new Set(rows.map(({ symbol }) => String(symbol)))].toSorted();
  await runAll(transaction, [
    "create table companies (id integer primary key, symbol text not null unique)",
    `create table prices (
  company_id integer not null references companies(id),
  day text not null,
  price real not null,
  primary key (company_id, day)
)`,
  ]);
  await insertRows(
    transaction,
    "companies",
    symbols.map((symbol, index) => ({ id: index + 1, symbol })),
  );
  await insertRows(
    transaction,
    "prices",
    rows.map(({ symbol, date, price }) => ({
      company_id: symbols.indexOf(String(symbol)) + 1,
      day: isoDate(date),
      price: number(price),
    })),
  );
}
