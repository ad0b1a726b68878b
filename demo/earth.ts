import type { Transaction } from "rowhouse/plugin-api";
import { provenance, readJson, readRows } from "./data-sets.js";
import { addFullText, insertRows, lookupTable, number, runAll, type DemoDatabase } from "./fill.js";

/** Earthquakes, weather and disasters. */
export const earth: DemoDatabase = {
  name: "earth",
  metadata: {
    title: "Earth",
    description: "A week of earthquakes, four years of weather, a century of disasters.",
    tables: {
      earthquakes: {
        ...provenance("earthquakes.json"),
        title: "Earthquakes",
        label_column: "place",
        sort_desc: "magnitude",
        facets: ["network", { date: "at" }, { array: "sources" }],
        units: { depth: "km" },
        columns: {
          at: "Moment of the quake, UTC",
          sources: "Networks that reported it",
          products: "Available data: reports of people, movement of the ground",
          felt: "How many people said that they felt it",
          significance: "From 0 to 1000: magnitude, damage and reports taken together",
        },
      },
      networks: { title: "Networks of seismometers", label_column: "name" },
      weather: {
        ...provenance("weather.csv"),
        title: "Daily weather",
        sort_desc: "day",
        facets: ["station_id", "condition_id"],
        units: { precipitation: "mm", highest: "degC", lowest: "degC", wind: "m/s" },
      },
      stations: { title: "Weather stations", label_column: "name" },
      conditions: { title: "Kinds of weather", label_column: "name" },
      disasters: {
        ...provenance("disasters.csv"),
        title: "Deaths from disasters",
        sort_desc: "year",
        facets: ["kind_id"],
      },
      kinds: { title: "Kinds of disasters", label_column: "name" },
      months: {
        title: "Weather by month",
        description: "A view: means of temperature and rain, by station and month.",
      },
    },
    queries: {
      quakes_near: {
        title: "Earthquakes near a place",
        description: "Within so many degrees of a point, strongest first.",
        sql: "select at, magnitude, place, depth from earthquakes where abs(latitude - cast(:latitude as real)) < cast(:degrees as real) and abs(longitude - cast(:longitude as real)) < cast(:degrees as real) order by magnitude desc limit 100",
        params: ["latitude", "longitude", "degrees"],
      },
      days_with: {
        title: "How often did it snow?",
        description: "Days a year with a kind of weather: drizzle, fog, rain, snow or sun.",
        sql: "select stations.name as station, substr(day, 1, 4) as year, count(*) as days from weather join stations on stations.id = station_id join conditions on conditions.id = condition_id where conditions.name = :weather group by 1, 2 order by 1, 2",
        params: ["weather"],
      },
    },
  },
  async build(transaction) {
    await addEarthquakes(transaction);
    await addWeather(transaction);
    await addDisasters(transaction);
  },
};

interface Quake {
  readonly id: string;
  readonly geometry: { readonly coordinates: readonly [number, number, number] };
  readonly properties: Readonly<Record<string, string | number | null>>;
}

const NETWORKS: Readonly<Record<string, string>> = {
  ak: "Alaska Earthquake Center",
  ci: "Southern California",
  hv: "Hawaiian Volcano Observatory",
  ld: "Lamont-Doherty, New York",
  mb: "Montana",
  nc: "Northern California",
  nm: "New Madrid",
  nn: "Nevada",
  pr: "Puerto Rico",
  se: "South-eastern United States",
  us: "National Earthquake Information Center",
  uu: "Utah",
  uw: "Pacific Northwest",
};

async function addEarthquakes(transaction: Transaction): Promise<void> {
  const { features } = readJson("earthquakes.json") as { readonly features: readonly Quake[] };
  const networks = [...new Set(features.map(({ properties }) => String(properties["net"])))].toSorted();
  await runAll(transaction, [
    "create table networks (code text primary key, name text not null)",
    `create table earthquakes (
  id text primary key,
  at text not null,
  magnitude real,
  place text not null,
  depth real,
  latitude real not null,
  longitude real not null,
  network text not null references networks(code),
  felt integer,
  significance integer,
  status text,
  sources text not null,
  products text not null,
  url text
)`,
  ]);
  await insertRows(
    transaction,
    "networks",
    networks.map((code) => ({ code, name: NETWORKS[code] ?? code })),
  );
  await insertRows(transaction, "earthquakes", features.map(earthquake));
  await addFullText(transaction, "earthquakes", ["place"]);
  await runAll(transaction, [
    "create index earthquakes_network on earthquakes (network)",
    "create index earthquakes_magnitude on earthquakes (magnitude)",
  ]);
}

function earthquake({ id, geometry, properties }: Quake) {
  const [longitude, latitude, depth] = geometry.coordinates;
  return {
    id,
    at: new Date(Number(properties["time"])).toISOString().slice(0, 19),
    magnitude: properties["mag"],
    place: properties["place"] ?? "",
    depth,
    latitude,
    longitude,
    network: properties["net"],
    felt: properties["felt"],
    significance: properties["sig"],
    status: properties["status"],
    sources: namesIn(properties["sources"]),
    products: namesIn(properties["types"]),
    url: properties["url"],
  };
}

/** `,ci,us,` contains two names. */
const namesIn = (written: string | number | null | undefined): readonly string[] =>
  String(written ?? "")
    .split(",")
    .filter(Boolean);

async function addWeather(transaction: Transaction): Promise<void> {
  const days = readRows("weather.csv");
  const stationId = await lookupTable(
    transaction,
    "stations",
    days.map(({ location }) => location),
  );
  const conditionId = await lookupTable(
    transaction,
    "conditions",
    days.map(({ weather }) => weather),
  );
  await transaction.run(`create table weather (
  station_id integer not null references stations(id),
  day text not null,
  condition_id integer references conditions(id),
  precipitation real,
  highest real,
  lowest real,
  wind real,
  primary key (station_id, day)
)`);
  await insertRows(
    transaction,
    "weather",
    days.map((day) => ({
      station_id: stationId(day["location"]),
      day: day["date"],
      condition_id: conditionId(day["weather"]),
      precipitation: number(day["precipitation"]),
      highest: number(day["temp_max"]),
      lowest: number(day["temp_min"]),
      wind: number(day["wind"]),
    })),
  );
  await runAll(transaction, [
    "create index weather_condition on weather (condition_id)",
    `create view months as
select stations.name as station, substr(day, 6, 2) as month, round(avg(highest), 1) as highest,
  round(avg(lowest), 1) as lowest, round(avg(precipitation), 1) as precipitation
from weather join stations on stations.id = station_id group by station_id, month`,
  ]);
}

async function addDisasters(transaction: Transaction): Promise<void> {
  const rows = readRows("disasters.csv");
  const kindId = await lookupTable(
    transaction,
    "kinds",
    rows.map(({ Entity }) => Entity),
  );
  await transaction.run(`create table disasters (
  kind_id integer not null references kinds(id),
  year integer not null,
  deaths integer not null,
  primary key (kind_id, year)
)`);
  await insertRows(
    transaction,
    "disasters",
    rows.map(({ Entity, Year, Deaths }) => ({
      kind_id: kindId(Entity),
      year: number(Year),
      deaths: number(Deaths),
    })),
  );
}
