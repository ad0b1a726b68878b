import { quoteText } from "rowhouse/plugin-api/sql";
import type { Session } from "../connect/session.js";

/** A table or view as `pg_class` lists it. */
export interface ListedTable {
  readonly oid: number;
  readonly name: string;
  /** `r` table, `p` partitioned, `f` foreign, `v` view, `m` materialised view. */
  readonly kind: "r" | "p" | "f" | "v" | "m";
  /** The query of a view. */
  readonly definition: string | null;
  readonly comment: string | null;
  /** Names of the tables that inherit from it. Partitions do not count. */
  readonly inheritingTables: readonly string[];
  /** Names of the tables and views of this schema that a view reads directly. Partitions count as their parent. */
  readonly reads: readonly string[];
  /** True for a view that uses a view of another schema, or a function that can read tables. */
  readonly reads_others: boolean;
}

export interface ListedColumn {
  readonly table: number;
  readonly name: string;
  readonly position: number;
  readonly type: string;
  /** The type behind a domain; null for other types. */
  readonly base: string | null;
  readonly values: readonly string[] | null;
  /** True for a collation that is not deterministic. */
  readonly loose: boolean;
  readonly not_null: boolean;
  readonly default_sql: string | null;
  /** `s` stored, empty otherwise. */
  readonly generated: string;
  /** `a` always, `d` by default, empty otherwise. */
  readonly identity: string;
}

export interface ListedConstraint {
  readonly table: number;
  readonly name: string;
  /** `p` primary key, `f` foreign key, `u` unique, `c` check. */
  readonly kind: string;
  readonly columns: readonly number[] | null;
  /** True if it can be checked at the end of a transaction. */
  readonly deferrable: boolean;
  readonly other_table: number;
  readonly other_columns: readonly number[] | null;
  readonly on_delete: string;
  readonly on_update: string;
  readonly definition: string;
}

export interface ListedIndex {
  readonly table: number;
  readonly name: string;
  readonly is_unique: boolean;
  /** The kind of the constraint to which it belongs; null for none. */
  readonly constraint_kind: string | null;
  readonly partial: boolean;
  /** Zero for an expression. */
  readonly columns: readonly number[];
  readonly definition: string;
}

/** A trigger or a rule. */
export interface ListedTrigger {
  readonly table: number;
  readonly name: string;
  readonly definition: string;
}

/** The catalogue of one schema. */
export interface Catalogue {
  readonly tables: readonly ListedTable[];
  readonly columns: readonly ListedColumn[];
  readonly constraints: readonly ListedConstraint[];
  readonly indexes: readonly ListedIndex[];
  readonly triggers: readonly ListedTrigger[];
}

/**
 * The tables that the login may read. Partitions are read through their parent. A table with the name of one of the
 * system is not visible: statements would read that of the system.
 */
const SHOWN = `
  select c.oid, c.relname, c.relkind, c.relnamespace from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relkind in ('r', 'p', 'f', 'v', 'm') and not c.relispartition
    and has_table_privilege(c.oid, 'select') and pg_table_is_visible(c.oid)`;

const list = (rows: string): string => `(select coalesce(json_agg(t), '[]') from (${rows}) as t)`;

const TABLES = `
  with views as (
    select s.oid, array_agg(distinct t.relname) filter (where t.relnamespace = s.relnamespace) as reads,
      bool_or(o.relkind in ('v', 'm') and o.relnamespace <> s.relnamespace
        or f.provolatile <> 'i' and e.objid is null) as reads_others
    from shown s join pg_rewrite w on w.ev_class = s.oid
      join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid and d.refobjid <> s.oid
      left join pg_class o on d.refclassid = 'pg_class'::regclass and o.oid = d.refobjid
      left join pg_class t on t.oid = coalesce(pg_partition_root(o.oid), o.oid)
      left join pg_operator p on d.refclassid = 'pg_operator'::regclass and p.oid = d.refobjid
      left join pg_proc f on f.oid = case d.refclassid when 'pg_proc'::regclass then d.refobjid else p.oprcode end
      left join pg_depend e on e.classid = 'pg_proc'::regclass and e.objid = f.oid and e.deptype = 'e'
    where s.relkind in ('v', 'm') group by s.oid)
  select s.oid, s.relname as name, s.relkind as kind,
    case when s.relkind in ('v', 'm') then pg_get_viewdef(s.oid, true) end as definition,
    obj_description(s.oid, 'pg_class') as comment,
    array(select cast(cast(i.inhrelid as regclass) as text) from pg_inherits i
      where i.inhparent = s.oid and s.relkind <> 'p' order by 1) as "inheritingTables",
    coalesce(v.reads, '{}') as reads, coalesce(v.reads_others, false) as reads_others
  from shown s left join views v on v.oid = s.oid order by s.relkind in ('v', 'm'), s.oid`;

/** Domains with the type behind them, also behind a domain over a domain. */
const DOMAINS = `
  recursive chain(oid, base, modifier, required) as (
    select oid, typbasetype, typtypmod, typnotnull from pg_type where typtype = 'd'
    union all
    select c.oid, t.typbasetype, t.typtypmod, c.required or t.typnotnull
    from chain c join pg_type t on t.oid = c.base where t.typtype = 'd'),
  domains as (select c.oid, c.base, c.modifier, c.required, t.typtype as kind
    from chain c join pg_type t on t.oid = c.base where t.typtype <> 'd')`;

const COLUMNS = `
  with ${DOMAINS}
  select a.attrelid as "table", a.attname as name, a.attnum as position,
    format_type(a.atttypid, a.atttypmod) as type,
    case when o.oid is not null then format_type(o.base, o.modifier) end as base,
    case when coalesce(o.kind, y.typtype) = 'e' then
      array(select e.enumlabel from pg_enum e where e.enumtypid = coalesce(o.base, y.oid) order by e.enumsortorder)
    end as values,
    a.attcollation in (select oid from pg_collation where not collisdeterministic) as loose,
    a.attnotnull or coalesce(o.required, false) as not_null,
    case when d.adrelid is not null then pg_get_expr(d.adbin, d.adrelid) end as default_sql,
    a.attgenerated as generated, a.attidentity as identity
  from pg_attribute a join shown s on s.oid = a.attrelid join pg_type y on y.oid = a.atttypid
    left join domains o on o.oid = y.oid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attnum > 0 and not a.attisdropped order by a.attrelid, a.attnum`;

const CONSTRAINTS = `
  select k.conrelid as "table", k.conname as name, k.contype as kind, k.conkey as columns, k.condeferrable as deferrable,
    k.confrelid as other_table, k.confkey as other_columns,
    k.confdeltype as on_delete, k.confupdtype as on_update, pg_get_constraintdef(k.oid, true) as definition
  from pg_constraint k join shown s on s.oid = k.conrelid where k.contype in ('p', 'f', 'u', 'c')
  order by k.conrelid, k.oid`;

const INDEXES = `
  select i.indrelid as "table", c.relname as name, i.indisunique as is_unique, k.contype as constraint_kind,
    i.indpred is not null as partial, (i.indkey::int2[])[0:i.indnkeyatts - 1] as columns,
    pg_get_indexdef(i.indexrelid) as definition
  from pg_index i join shown s on s.oid = i.indrelid join pg_class c on c.oid = i.indexrelid
    left join pg_constraint k on k.conindid = i.indexrelid and k.conrelid = i.indrelid and k.contype in ('p', 'u', 'x')
  where i.indisvalid order by i.indrelid, c.relname`;

/** Rules change what a write does, as triggers do. */
const TRIGGERS = `
  select g.tgrelid as "table", g.tgname as name, pg_get_triggerdef(g.oid, true) as definition
  from pg_trigger g join shown s on s.oid = g.tgrelid where not g.tgisinternal
  union all
  select w.ev_class, w.rulename, pg_get_ruledef(w.oid, true)
  from pg_rewrite w join shown s on s.oid = w.ev_class where w.rulename <> '_RETURN' order by 2`;

const CATALOGUE = `
  with shown as (${SHOWN})
  select json_build_object('tables', ${list(TABLES)}, 'columns', ${list(COLUMNS)},
    'constraints', ${list(CONSTRAINTS)}, 'indexes', ${list(INDEXES)}, 'triggers', ${list(TRIGGERS)})`;

/** Reads the catalogue in one statement, and so in one snapshot. */
export async function readCatalogue(session: Session, schema: string): Promise<Catalogue> {
  const { rows } = await session.run({ text: CATALOGUE, values: [schema] });
  return JSON.parse(rows[0]?.[0] ?? "{}") as Catalogue;
}

/** Objects of the system have smaller identifiers. With this bound, their rows are not read. */
const FIRST_OWN = 16_384;

/**
 * A query for a text that changes with every change of the schema: the row versions of the catalogue tables. Statistics
 * are updated in place and do not change it. An index that is built concurrently is valid later than it is in `pg_class`,
 * and which tables the login may read depends on its roles. It has no parameters, so that a prepared one is planned only
 * once.
 */
export const fingerprintOf = (schema: string): string => `
  with own as materialized (select oid, xmin from pg_class
    where oid >= ${FIRST_OWN} and relnamespace = to_regnamespace(quote_ident(${quoteText(schema)})))
  select md5(concat_ws('|',
    (select string_agg(oid || ':' || xmin, ',' order by oid) from own),
    (select string_agg(a.attrelid || ':' || a.attnum || ':' || a.xmin, ',' order by a.attrelid, a.attnum)
      from pg_attribute a join own on own.oid = a.attrelid where a.attnum > 0 and a.attrelid >= ${FIRST_OWN}),
    (select string_agg(k.oid || ':' || k.xmin, ',' order by k.oid)
      from pg_constraint k join own on own.oid = k.conrelid where k.oid >= ${FIRST_OWN}),
    (select string_agg(d.oid || ':' || d.xmin, ',' order by d.oid) from pg_attrdef d join own on own.oid = d.adrelid),
    (select string_agg(c.objoid || ':' || c.xmin, ',' order by c.objoid) from pg_description c
      join own on own.oid = c.objoid and c.classoid = 'pg_class'::regclass and c.objsubid = 0
      where c.objoid >= ${FIRST_OWN}),
    (select string_agg(g.oid || ':' || g.xmin, ',' order by g.oid) from pg_trigger g join own on own.oid = g.tgrelid),
    (select string_agg(w.oid || ':' || w.xmin, ',' order by w.oid)
      from pg_rewrite w join own on own.oid = w.ev_class where w.oid >= ${FIRST_OWN}),
    (select string_agg(cast(i.indexrelid as text), ',' order by i.indexrelid) from pg_index i where not i.indisvalid),
    (select string_agg(m.grant, ',' order by m.grant)
      from (select roleid || ':' || member || ':' || xmin as grant from pg_auth_members) as m),
    (select string_agg(e.oid || ':' || e.xmin, ',' order by e.oid) from pg_enum e),
    (select string_agg(y.oid || ':' || y.xmin, ',' order by y.oid)
      from pg_type y where y.typtype in ('d', 'e', 'r', 'm') and y.oid >= ${FIRST_OWN})))`;

/** The version of the schema as this session sees it, also inside a transaction with changes of its own. */
export async function readFingerprint(session: Session, schema: string): Promise<string> {
  const { rows } = await session.run({ text: fingerprintOf(schema), values: [] });
  return rows[0]?.[0] ?? "";
}
