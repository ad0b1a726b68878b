import type { Transaction } from "rowhouse/plugin-api";
import { provenance, readRows, type Source } from "./data-sets.js";
import { addFullText, insertRows, lookupTable, number, runAll, type DemoDatabase } from "./fill.js";

/** Airports, flights between them, and bird strikes. */
export const aviation: DemoDatabase = {
  name: "aviation",
  metadata: {
    title: "Aviation",
    description: "Airports of the United States, the flights between them, and the birds in their way.",
    tables: {
      airports: {
        ...provenance("airports.csv"),
        title: "Airports",
        label_column: "name",
        facets: ["state"],
        fts_table: "airports_fts",
        columns: { iata: "Code of the International Air Transport Association, or of the country" },
      },
      states: { title: "States", label_column: "name", ...provenance("population_engineers_hurricanes.csv") },
      routes: {
        ...provenance("flights-airport.csv"),
        title: "Routes in 2008",
        sort_desc: "flights",
        facets: ["origin"],
      },
      flights: {
        ...provenance("flights-20k.json"),
        title: "Flights in 2001",
        sort: "departed",
        facets: [{ date: "departed" }, "origin"],
        units: { delay: "min", distance: "mi" },
        columns: { delay: "Minutes after the timetable; negative when early" },
      },
      strikes: {
        ...provenance("birdstrikes.csv"),
        title: "Wildlife strikes",
        sort_desc: "date",
        facets: ["species_id", "phase", "damage"],
        columns: { cost: "In US dollars", speed: "Indicated airspeed in knots" },
      },
      species: { title: "Wildlife species", label_column: "name" },
      operators: { title: "Operators", label_column: "name" },
      delays_by_airport: {
        title: "Delays by airport",
        description: "A view: how late flights left each airport.",
      },
    },
    queries: {
      routes_from: {
        title: "Where can I fly from here?",
        description: "Give a code such as SFO or JFK.",
        sql: "select destination, airports.name, airports.city, flights from routes join airports on airports.iata = destination where origin = upper(:airport) order by flights desc",
        params: ["airport"],
      },
      costliest_species: {
        title: "The costliest birds",
        sql: "select species.name as species, count(*) as strikes, sum(cost) as cost from strikes join species on species.id = species_id group by species_id order by cost desc limit 25",
      },
    },
  },
  async build(transaction) {
    const airports = readRows("airports.csv");
    const known = new Set(airports.map(({ iata }) => iata));
    const isKnown = ({ origin, destination }: Source) =>
      known.has(origin ?? "") && known.has(destination ?? "");
    const codes = await addStates(transaction, airports);
    await addAirports(transaction, airports);
    await addRoutes(transaction, readRows("flights-airport.csv").filter(isKnown));
    await addFlights(transaction, readRows("flights-20k.json").filter(isKnown));
    await addStrikes(transaction, codes);
    await transaction.run(`create view delays_by_airport as
select origin as airport, count(*) as flights, round(avg(delay), 1) as mean_delay, max(delay) as worst_delay
from flights group by origin having flights >= 20 order by mean_delay desc`);
  },
};

/** The names of states. Territories have only a code. */
async function addStates(
  transaction: Transaction,
  airports: readonly Source[],
): Promise<ReadonlyMap<unknown, string>> {
  const codes = new Map(readRows("obesity.json").map(({ id, state }) => [Number(id), String(state)]));
  const capitals = new Map(readRows("us-state-capitals.json").map(({ state, city }) => [state, city]));
  const states = readRows("population_engineers_hurricanes.csv").flatMap(({ id, state, population }) => {
    const code = codes.get(Number(id));
    return code === undefined
      ? []
      : [{ code, name: state, capital: capitals.get(state ?? "") ?? null, population: number(population) }];
  });
  const named = new Set(states.map(({ code }) => code));
  const others = [...new Set(airports.map(({ state }) => state))].filter(
    (code) => code !== null && !named.has(String(code)),
  );
  await transaction.run(
    "create table states (code text primary key, name text not null, capital text, population integer)",
  );
  await insertRows(transaction, "states", [
    ...states,
    ...others.map((code) => ({ code: String(code), name: String(code), capital: null, population: null })),
  ]);
  return new Map(states.map(({ name, code }) => [name, code]));
}

async function addAirports(transaction: Transaction, airports: readonly Source[]): Promise<void> {
  await transaction.run(`create table airports (
  iata text primary key,
  name text not null,
  city text,
  state text references states(code),
  latitude real,
  longitude real
)`);
  await insertRows(
    transaction,
    "airports",
    airports.map(({ iata, name, city, state, latitude, longitude }) => ({
      iata,
      name,
      city,
      state,
      latitude: number(latitude),
      longitude: number(longitude),
    })),
  );
  await addFullText(transaction, "airports", ["name", "city"]);
}

async function addRoutes(transaction: Transaction, routes: readonly Source[]): Promise<void> {
  await transaction.run(`create table routes (
  origin text not null references airports(iata),
  destination text not null references airports(iata),
  flights integer not null,
  primary key (origin, destination)
)`);
  await insertRows(
    transaction,
    "routes",
    routes.map(({ origin, destination, count }) => ({ origin, destination, flights: number(count) })),
  );
}

async function addFlights(transaction: Transaction, flights: readonly Source[]): Promise<void> {
  await transaction.run(`create table flights (
  id integer primary key,
  departed text not null,
  origin text not null references airports(iata),
  destination text not null references airports(iata),
  delay integer not null,
  distance integer not null
)`);
  await insertRows(
    transaction,
    "flights",
    flights.map(({ date, origin, destination, delay, distance }, index) => ({
      id: index + 1,
      departed: String(date).replaceAll("/", "-"),
      origin,
      destination,
      delay,
      distance,
    })),
  );
  await runAll(transaction, [
    "create index flights_origin on flights (origin)",
    "create index flights_destination on flights (destination)",
    "create index flights_departed on flights (departed)",
  ]);
}

async function addStrikes(transaction: Transaction, stateCodes: ReadonlyMap<unknown, string>): Promise<void> {
  const strikes = readRows("birdstrikes.csv");
  const speciesId = await lookupTable(
    transaction,
    "species",
    strikes.map((row) => row["Wildlife Species"]),
  );
  const operatorId = await lookupTable(
    transaction,
    "operators",
    strikes.map((row) => row["Aircraft Airline Operator"]),
  );
  await transaction.run(`create table strikes (
  id integer primary key,
  date text not null,
  species_id integer references species(id),
  size text,
  airport text,
  state text references states(code),
  operator_id integer references operators(id),
  aircraft text,
  phase text,
  time_of_day text,
  damage text,
  cost integer,
  speed integer
)`);
  await insertRows(
    transaction,
    "strikes",
    strikes.map((row, index) => ({
      id: index + 1,
      date: row["Flight Date"],
      species_id: speciesId(row["Wildlife Species"]),
      size: row["Wildlife Size"],
      airport: row["Airport Name"],
      state: stateCodes.get(row["Origin State"]) ?? null,
      operator_id: operatorId(row["Aircraft Airline Operator"]),
      aircraft: row["Aircraft Make Model"],
      phase: row["Phase of flight"],
      time_of_day: row["Time of day"],
      damage: row["Effect Amount of damage"],
      cost: number(row["Cost Total $"]),
      speed: number(row["Speed IAS in knots"]),
    })),
  );
  await runAll(transaction, [
    "create index strikes_species on strikes (species_id)",
    "create index strikes_operator on strikes (operator_id)",
    "create index strikes_state on strikes (state)",
    "create index strikes_date on strikes (date)",
  ]);
}
