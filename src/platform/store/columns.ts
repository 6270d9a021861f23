/** Transposes at least one row into columns for `unnest`. */
export function toColumns<T>(rows: readonly T[], toValues: (row: T) => readonly unknown[]): unknown[][] {
  const columns: unknown[][] = [];
  for (const row of rows) {
    const values = toValues(row);
    for (let index = 0; index < values.length; index += 1) {
      columns[index] ??= [];
      columns[index]?.push(values[index]);
    }
  }
  return columns;
}
