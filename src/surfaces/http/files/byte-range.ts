/** What a request asks of a file: all of it, a part of it, or a part that it does not have. */
export type Asked = 'whole' | 'unsatisfiable' | { start: number; end: number };

/**
 * The part of a file that a `Range` names (RFC 9110 §14.2). Several parts, other units and what is malformed count as none,
 * as the RFC allows.
 * @param size of the file in bytes
 */
export function byteRange(header: string | undefined, size: number): Asked {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? [];
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const length = Number(last);
    return length === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - length), end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'whole';
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}
