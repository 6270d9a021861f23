const QUOTED = /["\\]/;
const EACH_QUOTED = /["\\]/g;

/**
 * An array as PostgreSQL reads it, of values that hold nothing but letters, digits and the signs of numbers, ids and ISO
 * times. `pg` would look at every character of each.
 */
export function plainArray(values: readonly (string | number | bigint | boolean | null)[]): string {
  // An empty place would be read as an empty text, so null is written out.
  let literal = '';
  for (const value of values) literal += `,${value === null ? 'NULL' : value}`;
  return `{${literal.slice(1)}}`;
}

/** An array of any texts as PostgreSQL reads it. */
export function textArray(values: readonly (string | null)[]): string {
  let literal = '';
  for (const value of values) {
    if (value === null) literal += ',NULL';
    else literal += `,"${QUOTED.test(value) ? value.replace(EACH_QUOTED, '\\$&') : value}"`;
  }
  return `{${literal.slice(1)}}`;
}
