import { isBlank, isLongerThan } from '../../../platform/errors/field-problems.js';

export const MAX_TAG_LENGTH = 50;
export const MAX_TAGS_PER_CONTACT = 100;

export const TAG_RULE = `must be a text of 1 to ${MAX_TAG_LENGTH} characters without commas, semicolons and control characters`;

/** Commas and semicolons separate the tags in a cell of a CSV file. */
const FORBIDDEN = /[,;\p{Cc}\p{Cs}\uFFFD]/u;

/** Tags that differ only in case, spaces or the form of an accent are the same. Returns null for an invalid tag. */
export function toTag(text: string): string | null {
  if (FORBIDDEN.test(text) || isBlank(text)) return null;
  const tag = text.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
  return isLongerThan(tag, MAX_TAG_LENGTH) ? null : tag;
}

/** Sorted and without duplicates. Returns null if one of the tags is invalid. */
export function toTags(texts: readonly string[]): string[] | null {
  const tags = new Set<string>();
  for (const text of texts) {
    const tag = toTag(text);
    if (tag === null) return null;
    tags.add(tag);
  }
  return [...tags].sort();
}

/** Splits a cell such as `vip, berlin`. */
export function splitTagCell(cell: string): string[] {
  return cell.split(/[,;]/).filter((part) => part.trim() !== '');
}

export function writeTagCell(tags: readonly string[]): string {
  return tags.join(', ');
}
