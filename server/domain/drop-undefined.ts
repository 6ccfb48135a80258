/** Without the names that were not given: to the store, absent and `undefined` are not the same. */
export function dropUndefined<T extends object>(filter: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
