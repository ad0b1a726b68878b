/**
 * The lower bound of the interval of a number. Integers stay exact. Quotients of fractions are rounded to nine digits, so
 * that 0.3 is not below 3 times 0.1.
 */
export function interval(expression: string, width: number): string {
  const digits = String(width).split(".")[1]?.length ?? 0;
  const found = `round(floor(round(${expression} / (${width} * 1.0), 9)) * ${width}, ${digits})`;
  if (digits > 0) return `case when typeof(${expression}) in ('integer', 'real') then ${found} end`;
  const whole = `${expression} - ((${expression} % ${width}) + ${width}) % ${width}`;
  return (
    `case typeof(${expression}) when 'integer' then ${whole} ` +
    `when 'real' then case when abs(${expression}) < 1e15 then cast(${found} as integer) else ${found} end end`
  );
}
