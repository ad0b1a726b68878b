/** A statement that counts from one. */
export const numbers = (count: number): string =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n`;
