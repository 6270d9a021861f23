/** `unsatisfiable` means that the range is outside the file. */
export type RequestedRange = 'whole' | 'unsatisfiable' | { start: number; end: number };

/**
 * Ignores multiple ranges, other units and malformed values, as RFC 9110 §14.2 allows.
 * @param size file size in bytes
 */
export function parseByteRange(header: string | undefined, size: number): RequestedRange {
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
