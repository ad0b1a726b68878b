import type { Actor, Request, Rowhouse } from "rowhouse/plugin-api";
import type { JumpItem, Link, Listing, MenuItem } from "rowhouse/plugin-api/contracts";
import { TimeSlices } from "rowhouse/plugin-api/http";
import { search, wordsOf, type SearchedItem } from "./search.js";
import { tOf } from "./texts.js";

/** Who jumps, from where, and the typed text. */
export interface Asking {
  readonly actor: Actor | null;
  readonly request: Request;
  readonly query: string;
  /** The path of the page; empty if it is not known. */
  readonly at: string;
}

/** Databases and tables whose actions are looked up for one text. */
const MOST_SUBJECTS = 20;

/** The pages in the menu of the actor. */
export async function pagesOf(rowhouse: Rowhouse, { request, actor, query }: Asking): Promise<JumpItem[]> {
  if (query === "") return [];
  const [menu, home] = await Promise.all([
    rowhouse.hooks.menu_links.promise([], rowhouse, { request, actor }),
    rowhouse.hooks.homepage_actions.promise([], rowhouse, { request, actor }),
  ]);
  return links([...menu, ...home]).map(({ label, href }) => ({
    kind: "page",
    label,
    detail: null,
    href,
    later: true,
  }));
}

/** A database, or a table, view or query in it, with actions. */
interface Subject extends JumpItem {
  readonly actions: () => Promise<readonly MenuItem[]>;
}

/**
 * The actions on databases, on the table of the page, and on tables that at least one word of the text names:
 * `import books`. They are those of the menu _Actions_ of their pages, so each is listed only for actors that may use
 * it.
 */
export async function commandsOf(
  rowhouse: Rowhouse,
  asking: Asking,
  listings: readonly Listing[],
): Promise<SearchedItem[]> {
  const words = wordsOf(asking.query);
  if (words.length === 0) return [];
  const subjects: Subject[] = [];
  const here: Subject[] = [];
  const slices = new TimeSlices(asking.request);
  for (const listing of listings) {
    for (const subject of subjectsIn(rowhouse, asking, listing)) {
      subjects.push(subject);
      if (`${asking.at}/`.startsWith(`${subject.href}/`)) here.push(subject);
      if (slices.isOver) await slices.next();
    }
  }
  const databases = subjects.filter(({ kind }) => kind === "database");
  const named = new Set([...here, ...databases.slice(0, MOST_SUBJECTS / 2)]);
  // With one word, the name of a table would be that of the action, too.
  for (const word of words.length < 2 ? [] : words) {
    for (const subject of await search(subjects, word, asking.request)) {
      if (named.size === MOST_SUBJECTS) break;
      named.add(subject);
    }
  }
  const adding = tOf({ rowhouse, request: asking.request })("jump.words_of_adding");
  const commands = await Promise.all(
    [...named].map(async ({ label, detail, actions }) =>
      links(await actions()).map(({ label: action, href, addsRows }) => ({
        kind: "command",
        label: action,
        detail: detail === null ? label : `${detail}/${label}`,
        href,
        later: true,
        words: addsRows === true ? adding : "",
      })),
    ),
  );
  return commands.flat().filter(({ label }) => words.some((word) => label.toLowerCase().includes(word)));
}

function* subjectsIn(
  rowhouse: Rowhouse,
  { request, actor }: Asking,
  { database: { name: database }, tables }: Listing,
): Generator<Subject> {
  const { hooks, urls } = rowhouse;
  const asked = { request, actor, database };
  yield {
    kind: "database",
    label: database,
    detail: null,
    href: urls.database(database),
    actions: () => hooks.database_actions.promise([], rowhouse, asked),
  };
  for (const { table } of tables) {
    const { name, kind } = table;
    yield {
      kind,
      label: name,
      detail: database,
      href: urls.table(database, name),
      actions: () =>
        kind === "view"
          ? hooks.view_actions.promise([], rowhouse, { ...asked, view: name })
          : hooks.table_actions.promise([], rowhouse, { ...asked, table: name }),
    };
  }
}

/** Entries that are addresses; buttons need their page. */
const links = (items: readonly MenuItem[]): readonly Link[] =>
  items.filter((item): item is Link => "href" in item);
