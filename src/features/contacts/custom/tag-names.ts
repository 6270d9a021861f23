import { invalidField } from '../../../platform/errors/app-error.js';
import { isBlank, isLongerThan } from '../../../platform/errors/field-problems.js';

export const MAX_TAG_LENGTH = 50;
export const MAX_TAGS_PER_CONTACT = 100;

export const TAG_RULE = `must be a text of 1 to ${MAX_TAG_LENGTH} characters without commas, semicolons and control characters`;

export const TAG_COUNT_RULE = `must have at most ${MAX_TAGS_PER_CONTACT} entries`;

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

/** As `toTags`. @throws {AppError} INVALID_REQUEST naming `field` */
export function requireTags(field: string, texts: readonly string[]): string[] {
  const tags = toTags(texts);
  if (tags === null) throw invalidField(field, `each ${TAG_RULE}`);
  return tags;
}

/** As `requireTags`, for tags that one contact gets. */
export function requireTagsOfContact(field: string, texts: readonly string[]): string[] {
  const tags = requireTags(field, texts);
  if (tags.length > MAX_TAGS_PER_CONTACT) throw invalidField(field, TAG_COUNT_RULE);
  return tags;
}

/** Splits a cell such as `vip, berlin`. */
export function splitTagCell(cell: string): string[] {
  return cell.split(/[,;]/).filter((part) => part.trim() !== '');
}

export function writeTagCell(tags: readonly string[]): string {
  return tags.join(', ');
}
