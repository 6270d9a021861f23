import type { DraftComponent, DraftComponentInput, Report } from './input.js';
import { findSampleProblem } from './samples.js';
import { findBrokenLineRule, joinWithOr } from './texts.js';

const TEXT_LIMIT = 60;
const FORMATS = ['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION', 'PRODUCT'];
const FILE_FORMATS = ['IMAGE', 'VIDEO', 'DOCUMENT'];

export function checkHeader(input: DraftComponentInput, path: string, report: Report, formats = FORMATS) {
  const { format: inputFormat = 'TEXT', text, example, ...more } = input;
  const format = inputFormat.toUpperCase();
  const header: DraftComponent = { ...more, type: 'HEADER', format, ...(text !== undefined && { text }) };
  if (!formats.includes(format)) report(`${path}.format`, `must be ${joinWithOr(formats)}`);
  else if (format === 'TEXT') {
    const rule = findBrokenLineRule(text, TEXT_LIMIT, 1);
    report(
      rule === null ? `${path}.example` : `${path}.text`,
      rule ?? findSampleProblem('HEADER', text, example ?? {}),
    );
  } else {
    if (text !== undefined) report(`${path}.text`, `must not be sent with the format ${format}`);
    if (FILE_FORMATS.includes(format) && example && readExampleReference(example) === null) {
      report(`${path}.example`, 'must contain one handle, link or media id of a file: {"header_handle": ["…"]}');
    }
  }
  return example && Object.keys(example).length > 0 ? { ...header, example } : header;
}

export function hasFile(format: unknown): boolean {
  return FILE_FORMATS.includes(String(format));
}

/** Returns the only reference in the example (Meta's handle, a link, or a media ID of the channel), or null. */
export function readExampleReference(example: unknown): string | null {
  const { header_handle: handles } = (example ?? {}) as { header_handle?: unknown };
  const [handle, ...more] = Array.isArray(handles) ? (handles as unknown[]) : [handles];
  return typeof handle === 'string' && handle.trim() !== '' && more.length === 0 ? handle : null;
}
