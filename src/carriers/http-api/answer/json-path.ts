export type JsonPath = readonly (string | number)[];

const STEP = /^(?:\.?([^.[\]'"\s]+)|\[(\d+)\]|\[(?:'([^']*)'|"([^"]*)")\])/;

/**
 * Parses paths such as `messages[0].message-id`, `$.data.id` and `data['odd key']`. An empty path or `$` selects the
 * whole value.
 * @throws {Error}
 */
export function parsePath(text: string): JsonPath {
  let remaining = text.trim().replace(/^\$\.?/, '');
  const steps: (string | number)[] = [];
  while (remaining !== '') {
    const match = STEP.exec(remaining);
    if (!match) throw new Error(`has a syntax error at "${remaining}"`);
    const [whole, name, index, singleQuoted, doubleQuoted] = match;
    if (index !== undefined) steps.push(Number(index));
    else
      steps.push(
        name !== undefined && /^\d+$/.test(name) ? Number(name) : ((name ?? singleQuoted ?? doubleQuoted) as string),
      );
    remaining = remaining.slice(whole.length);
  }
  return steps;
}

/** Ignores inherited properties. */
export function findValue(value: unknown, path: JsonPath): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined;
    current = (current as Record<string | number, unknown>)[step];
  }
  return current;
}

/** In `path`, `*` matches every list entry. */
export function findValues(value: unknown, path: JsonPath): unknown[] {
  const star = path.indexOf('*');
  if (star < 0) return [findValue(value, path)];
  const list = findValue(value, path.slice(0, star));
  return Array.isArray(list) ? list.flatMap((item) => findValues(item, path.slice(star + 1))) : [];
}

export function toText(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint' ? String(value) : null;
}
