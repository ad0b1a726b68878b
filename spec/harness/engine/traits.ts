/** In what engines may differ. The specs expect what the traits of the engine say. */
export interface EngineTraits {
  /** A value has a type of its own, also without a column. If not, a bound value without a type is text. */
  readonly typedValues: boolean;
  /** The characters with which the name of a parameter can begin. */
  readonly parameterPrefixes: readonly string[];
  /** A result column without an alias is named by its expression. */
  readonly namesExpressions: boolean;
  /** Writes report the last key that was inserted; 0 in other engines. */
  readonly lastKeys: boolean;
  /** Analyses name the tables that a statement reads and changes. */
  readonly findsTables: boolean;
}

/** The traits of the dialects of the bundled engines, by `capabilities.dialect`. */
export const traitsOf = {
  sqlite: {
    typedValues: true,
    parameterPrefixes: [":", "@", "$"],
    namesExpressions: true,
    lastKeys: true,
    findsTables: true,
  },
  postgres: {
    typedValues: false,
    parameterPrefixes: [":", "@"],
    namesExpressions: false,
    lastKeys: false,
    findsTables: false,
  },
} satisfies Readonly<Record<string, EngineTraits>>;
