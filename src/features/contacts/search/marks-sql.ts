import type { CustomValues } from '../custom/field-values.js';
import type { Bind } from './term-sql.js';

/** Contacts must have all the tags and all the values. */
export interface MarksFilter {
  /** Results of `toTags`. */
  tags?: readonly string[];
  fields?: CustomValues;
}

export function hasMarks({ tags, fields }: MarksFilter): boolean {
  return tags !== undefined || fields !== undefined;
}

export function toMarksSuffix({ tags, fields }: MarksFilter): string {
  return `${tags ? '-tags' : ''}${fields ? '-fields' : ''}`;
}

/** Returns an empty text without a filter. */
export function hasMarksSql({ tags, fields }: MarksFilter, bind: Bind): string {
  const conditions = [
    tags && `c.tags @> ${bind(tags)}::text[]`,
    fields && `c.fields @> ${bind(JSON.stringify(fields))}::jsonb`,
  ];
  return conditions.filter(Boolean).join(' AND ');
}

/** Finds candidates with the index of tags and values, which `hasMarksSql` must still check. */
export function mayHaveMarksSql(filter: MarksFilter, channel: string, bind: Bind): string {
  if (!hasMarks(filter)) return '';
  const { tags = null, fields } = filter;
  const marks = `contact_marks(${channel}, ${bind(tags)}::text[], ${bind(fields ? JSON.stringify(fields) : null)}::jsonb)`;
  return `(c.tags IS NOT NULL OR c.fields IS NOT NULL) AND contact_marks(c.channel_id, c.tags, c.fields) @> ${marks}`;
}
