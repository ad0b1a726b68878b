const VARYING =
  /random|'now|"now|'subsec|"subsec|current_(?:date|time)|\b(?:date|time|datetime|julianday|unixepoch)\s*\(\s*\)|strftime\s*\([^,()]*\)|changes\s*\(|last_insert_rowid|pragma|sqlite_|:_/i;

/** True if SQL calls no function of time, chance or the connection, and reads no facts about the schema. */
export const isDeterministic = (sql: string): boolean => !VARYING.test(sql);
