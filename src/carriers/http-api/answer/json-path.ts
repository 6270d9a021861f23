/** Steps from the root of a JSON value to a part of it: names of fields, and places in lists. */
export type JsonPath = readonly (string | number)[];

const STEP = /^(?:\.?([^.[\]'"\s]+)|\[(\d+)\]|\[(?:'([^']*)'|"([^"]*)")\])/;

/**
 * Reads a path such as `messages[0].message-id`, `$.data.id` or `data['odd key']`. A number between points is a place in a
 * list too. The empty path, or `$`, is the whole value.
 * @throws {Error} that says where it cannot be read
 */
export function parsePath(text: string): JsonPath {
  let rest = text.trim().replace(/^\$\.?/, '');
  const steps: (string | number)[] = [];
  while (rest !== '') {
    const match = STEP.exec(rest);
    if (!match) throw new Error(`cannot be read at "${rest}"`);
    const [whole, name, place, single, double] = match;
    if (place !== undefined) steps.push(Number(place));
    else steps.push(name !== undefined && /^\d+$/.test(name) ? Number(name) : ((name ?? single ?? double) as string));
    rest = rest.slice(whole.length);
  }
  return steps;
}

/** What stands at a path; undefined where nothing does. Fields that every object inherits are none. */
export function valueAt(value: unknown, path: JsonPath): unknown {
  let at = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string | number, unknown>)[step];
  }
  return at;
}

/** All values at a path, in which `*` matches every entry of a list. */
export function valuesAt(value: unknown, path: JsonPath): unknown[] {
  const star = path.indexOf('*');
  if (star < 0) return [valueAt(value, path)];
  const list = valueAt(value, path.slice(0, star));
  return Array.isArray(list) ? list.flatMap((each) => valuesAt(each, path.slice(star + 1))) : [];
}

/** A value as a text: of a text, a number or a truth value; null of anything else, and of an empty text. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint' ? String(value) : null;
}
