/** True for a type that is declared to hold numbers. Others, such as `datetime`, have the affinity of numbers too. */
export const declaresNumbers = (type: string): boolean =>
  /int|real|floa|doub|num|dec/i.test(type) && !/char|text|point|interval|range|\[/i.test(type);

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** True for a text that is a number, without spaces around it. */
export const isNumberText = (text: string): boolean => NUMBER.test(text);
