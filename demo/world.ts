import type { Transaction } from "rowhouse/plugin-api";
import { provenance, readRows } from "./data-sets.js";
import { addFullText, insertRows, lookupTable, runAll, type DemoDatabase } from "./fill.js";

/** Countries over fifty years, and occupations over a hundred and fifty. */
export const world: DemoDatabase = {
  name: "world",
  metadata: {
    title: "World",
    description: "How people live: countries over fifty years, occupations over a hundred and fifty.",
    tables: {
      countries: { ...provenance("gapminder.json"), title: "Countries", label_column: "name" },
      country_years: {
        ...provenance("gapminder.json"),
        title: "Countries by year",
        sort_desc: "year",
        facets: ["year", "country_id"],
        columns: { fertility: "Children per woman", life_expectancy: "At birth" },
        units: { life_expectancy: "year" },
      },
      occupations: { title: "Occupations", label_column: "name" },
      workers: {
        ...provenance("jobs.json"),
        title: "Workers by occupation",
        sort_desc: "year",
        facets: ["sex", "year"],
        columns: { share: "Of all people of this sex who worked that year" },
      },
      latest: { title: "Countries in 2005", description: "A view: the last year of the series." },
    },
    queries: {
      one_country: {
        title: "One country through the years",
        sql: "select year, population, life_expectancy, fertility from country_years join countries on countries.id = country_id where name like :country || '%' order by year",
        params: ["country"],
      },
      rise_and_fall: {
        title: "Occupations that came and went",
        description: "People in each occupation in 1900 and in 2000; the ones that vanished come first.",
        sql: "select occupations.name as occupation, sum(people) filter (where year = 1900) as in_1900, sum(people) filter (where year = 2000) as in_2000 from workers join occupations on occupations.id = occupation_id group by occupation_id having in_1900 > 5000 order by 1.0 * coalesce(in_2000, 0) / in_1900, in_1900 desc",
      },
    },
  },
  async build(transaction) {
    await addCountries(transaction);
    await addOccupations(transaction);
  },
};

async function addCountries(transaction: Transaction): Promise<void> {
  const rows = readRows("gapminder.json");
  const countryId = await lookupTable(
    transaction,
    "countries",
    rows.map(({ country }) => country),
  );
  await transaction.run(`create table country_years (
  country_id integer not null references countries(id),
  year integer not null,
  population integer,
  life_expectancy real,
  fertility real,
  primary key (country_id, year)
)`);
  await insertRows(
    transaction,
    "country_years",
    rows.map((row) => ({
      country_id: countryId(row["country"]),
      year: row["year"],
      population: row["pop"],
      life_expectancy: row["life_expect"],
      fertility: row["fertility"],
    })),
  );
  await addFullText(transaction, "countries", ["name"]);
  await transaction.run(`create view latest as
select name as country, population, life_expectancy, fertility
from country_years join countries on countries.id = country_id
where year = (select max(year) from country_years) order by population desc`);
}

async function addOccupations(transaction: Transaction): Promise<void> {
  const rows = readRows("jobs.json");
  const occupationId = await lookupTable(
    transaction,
    "occupations",
    rows.map(({ job }) => job),
  );
  await transaction.run(`create table workers (
  occupation_id integer not null references occupations(id),
  year integer not null,
  sex text not null,
  people integer not null,
  share real not null,
  primary key (occupation_id, year, sex)
)`);
  await insertRows(
    transaction,
    "workers",
    rows.map((row) => ({
      occupation_id: occupationId(row["job"]),
      year: row["year"],
      sex: row["sex"],
      people: row["count"],
      share: row["perc"],
    })),
  );
  await addFullText(transaction, "occupations", ["name"]);
  await runAll(transaction, ["create index workers_year on workers (year)"]);
}
