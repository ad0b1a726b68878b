import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { expect } from "chai";

const ROOT = join(import.meta.dirname, "../../..");

/** Words that only one engine understands, in SQL. */
const ENGINE_WORDS =
  /\b(?:json_each|json_group_array|json_type|json_array_length|group_concat|sqlite_master|sqlite_schema|sqlite_version|pragma_\w+|ilike|jsonb_\w+|pg_\w+|to_tsvector|unnest)\b|\bglob '|\bcast\([^)]* as blob\)|\bselect (?:_?rowid_?|oid)\b/i;
const DATE_FUNCTION = /[`"' ]date\(/;

/** Files outside of the engines with SQL of one engine, each with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "cli/http/malformed-request.ts": "JSON_TYPE is a name of HTTP here",
  "plugins/doctor/content.ts": "names the table of a page that SQLite finds damaged",
  "plugins/doctor/installation.ts": "checks the SQLite library of the installation",
  "plugins/introspection/versions.ts": "the published document about SQLite, asked only of SQLite databases",
  "plugins/write-api/alter/integrity-check.ts": "checks after changes that only SQLite offers",
  "plugins/tokens/registry/registry.ts": "the registry is a SQLite file",
  "plugins/grouping/arguments.ts": "`date(` is the syntax of an argument here",
  "plugins/grouping/group-form.ts": "`date(` is the syntax of an argument here",
  "plugins/internal/catalogue.ts": "the internal database is SQLite",
  "plugins/charts/client/server-groups.ts": "`date(` is the syntax of an argument here",
  "plugins/sql-editor/client/postgres-words.ts": "words of PostgreSQL that the editor completes",
  "plugins/sql-editor/client/sql-words.ts": "words of SQLite that the editor completes",
  "plugins/sql-editor/client/sql-dialect.ts": "words of SQLite that the editor completes",
};

async function sources(folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(ROOT, folder), { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

const withoutComments = (source: string): string =>
  source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");

describe("SQL of one engine", () => {
  it("is written only by the plugin of the engine", async () => {
    const files = [
      ...(await sources("plugins")),
      ...(await sources("core")),
      ...(await sources("cli")),
    ].filter((file) => !/^plugins\/(?:sqlite|postgres)\//.test(file));
    const found: string[] = [];
    for (const file of files) {
      const source = withoutComments(await readFile(join(ROOT, file), "utf8"));
      const [word] = ENGINE_WORDS.exec(source) ?? DATE_FUNCTION.exec(source) ?? [];
      if (word !== undefined && !Object.hasOwn(EXCEPTIONS, file)) found.push(`${file}: ${word}`);
    }

    expect(found).to.deep.equal([]);
  });
});
