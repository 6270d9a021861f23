import type { DraftComponent, DraftComponentInput, Report } from './input.js';
import { missingSample } from './samples.js';
import { brokenLineRule, oneOf } from './texts.js';

const TEXT_LIMIT = 60;
const FORMATS = ['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION', 'PRODUCT'];
/** Formats of which the reviewer is shown a file. */
const FILES = ['IMAGE', 'VIDEO', 'DOCUMENT'];

/** Checks a header and gives it Meta's form. */
export function checkHeader(input: DraftComponentInput, path: string, report: Report, formats = FORMATS) {
  const { format: given = 'TEXT', text, example, ...more } = input;
  const format = given.toUpperCase();
  const made: DraftComponent = { ...more, type: 'HEADER', format, ...(text !== undefined && { text }) };
  if (!formats.includes(format)) report(`${path}.format`, `must be ${oneOf(formats)}`);
  else if (format === 'TEXT') {
    const rule = brokenLineRule(text, TEXT_LIMIT, 1);
    report(rule === null ? `${path}.example` : `${path}.text`, rule ?? missingSample('HEADER', text, example ?? {}));
  } else {
    if (text !== undefined) report(`${path}.text`, `must not be sent with the format ${format}`);
    if (FILES.includes(format) && example && handleOf(example) === null) {
      report(`${path}.example`, 'must hold one handle, link or media id of a file: {"header_handle": ["…"]}');
    }
  }
  return example && Object.keys(example).length > 0 ? { ...made, example } : made;
}

/** Whether a header shows a file. */
export function showsFile(format: unknown): boolean {
  return FILES.includes(String(format));
}

/** What names the example of a header: a handle of Meta's, a link, or the id of a file that the channel keeps; null where there is not exactly one. */
export function handleOf(example: unknown): string | null {
  const { header_handle: handles } = (example ?? {}) as { header_handle?: unknown };
  const [handle, ...more] = Array.isArray(handles) ? (handles as unknown[]) : [handles];
  return typeof handle === 'string' && handle.trim() !== '' && more.length === 0 ? handle : null;
}
