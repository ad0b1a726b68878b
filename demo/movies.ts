import { provenance, readRows, type Source } from "./data-sets.js";
import { addFullText, insertRows, isoDate, lookupTable, runAll, type DemoDatabase } from "./fill.js";

const about = provenance("movies.json");

/** Films with their genres, distributors and directors. */
export const movies: DemoDatabase = {
  name: "movies",
  metadata: {
    title: "Movies",
    description: "3,200 films: what they cost, what they earned, what people thought of them.",
    source: about["source"],
    source_url: about["source_url"],
    tables: {
      movies: {
        ...about,
        title: "Films",
        label_column: "title",
        sort_desc: "imdb_votes",
        facets: ["genre_id", "mpaa_rating", { array: "tags" }],
        units: { running_minutes: "min" },
        columns: {
          budget: "In US dollars, as all sums here",
          released: "Day of the first release in the United States",
          tags: "What kind of story it is, what it is based on, and the decade",
          rotten_tomatoes: "Share of good reviews, in per cent",
          imdb_rating: "Average vote, from 1 to 10",
        },
      },
      genres: { title: "Genres", label_column: "name" },
      distributors: { title: "Distributors", label_column: "name" },
      directors: { title: "Directors", label_column: "name" },
      genre_summary: { title: "Genres compared", description: "A view: films, earnings and votes by genre." },
      biggest_returns: {
        title: "Biggest returns",
        description: "A view: dollars earned for each dollar spent.",
      },
    },
    queries: {
      best_of_genre: {
        title: "The best of a genre",
        description: "Films with at least so many votes, best first.",
        sql: "select title, released, imdb_rating, imdb_votes from movies join genres on genres.id = genre_id where genres.name like '%' || :genre || '%' and imdb_votes >= cast(:votes as integer) order by imdb_rating desc limit 50",
        params: ["genre", "votes"],
      },
      by_director: {
        title: "Directors by what their films earned",
        sql: "select directors.name as director, count(*) as films, sum(worldwide_gross) as worldwide_gross, round(avg(imdb_rating), 1) as imdb_rating from movies join directors on directors.id = director_id group by director_id having films > 2 order by 3 desc limit 100",
      },
    },
  },
  async build(transaction) {
    const rows = readRows("movies.json").filter((row) => row["Title"] !== null);
    const column = (name: string) => rows.map((row) => row[name]);
    const ids = {
      genre: await lookupTable(transaction, "genres", column("Major Genre")),
      distributor: await lookupTable(transaction, "distributors", column("Distributor")),
      director: await lookupTable(transaction, "directors", column("Director")),
    };
    await transaction.run(TABLE);
    await insertRows(
      transaction,
      "movies",
      rows.map((row, index) => ({
        id: index + 1,
        title: String(row["Title"]),
        released: isoDate(row["Release Date"]),
        genre_id: ids.genre(row["Major Genre"]),
        mpaa_rating: row["MPAA Rating"],
        distributor_id: ids.distributor(row["Distributor"]),
        director_id: ids.director(row["Director"]),
        running_minutes: row["Running Time min"],
        budget: row["Production Budget"],
        us_gross: row["US Gross"],
        worldwide_gross: row["Worldwide Gross"],
        rotten_tomatoes: row["Rotten Tomatoes Rating"],
        imdb_rating: row["IMDB Rating"],
        imdb_votes: row["IMDB Votes"],
        tags: tags(row),
      })),
    );
    await addFullText(transaction, "movies", ["title"]);
    await runAll(transaction, [
      "create index movies_genre on movies (genre_id)",
      "create index movies_director on movies (director_id)",
      "create index movies_distributor on movies (distributor_id)",
      "create index movies_votes on movies (imdb_votes)",
      `create view genre_summary as
select genres.name as genre, count(*) as films, sum(worldwide_gross) as worldwide_gross,
  round(avg(imdb_rating), 2) as imdb_rating
from movies join genres on genres.id = genre_id group by genres.id order by films desc`,
      `create view biggest_returns as
select title, released, budget, worldwide_gross, round(1.0 * worldwide_gross / budget, 1) as returned
from movies where budget > 0 and worldwide_gross > 0 order by returned desc`,
    ]);
  },
};

const TABLE = `create table movies (
  id integer primary key,
  title text not null,
  released text,
  genre_id integer references genres(id),
  mpaa_rating text,
  distributor_id integer references distributors(id),
  director_id integer references directors(id),
  running_minutes integer,
  budget integer,
  us_gross integer,
  worldwide_gross integer,
  rotten_tomatoes integer,
  imdb_rating real,
  imdb_votes integer,
  tags text not null
)`;

function tags(row: Source): readonly string[] {
  const year = isoDate(row["Release Date"])?.slice(0, 3);
  const decade = year === undefined ? null : `${year}0s`;
  return [row["Creative Type"], row["Source"], decade].filter((tag) => typeof tag === "string");
}
