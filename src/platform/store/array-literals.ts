const NEEDS_ESCAPE = /["\\]/;
const ESCAPED_CHARACTERS = /["\\]/g;

/** Formats a PostgreSQL array faster than `pg`, which checks every character. Texts need `toTextArray`. */
export function toPlainArray(values: readonly (string | number | bigint | boolean | null)[]): string {
  let literal = '';
  for (const value of values) literal += `,${value === null ? 'NULL' : value}`;
  return `{${literal.slice(1)}}`;
}

/** Reuses the text of the previous time, because consecutive times are often equal and formatting is expensive. */
export function toTimestampArray(times: readonly (Date | null)[]): string {
  let literal = '';
  let previous: number | null = null;
  let element = '';
  for (const time of times) {
    if (time === null) {
      literal += ',NULL';
      continue;
    }
    if (time.getTime() !== previous) {
      previous = time.getTime();
      element = `,${time.toISOString()}`;
    }
    literal += element;
  }
  return `{${literal.slice(1)}}`;
}

export function toTextArray(values: readonly (string | null)[]): string {
  let literal = '';
  for (const value of values) {
    if (value === null) literal += ',NULL';
    else literal += `,"${NEEDS_ESCAPE.test(value) ? value.replace(ESCAPED_CHARACTERS, '\\$&') : value}"`;
  }
  return `{${literal.slice(1)}}`;
}
