import { invalidField } from '../../../platform/errors/app-error.js';
import { invalidFields } from '../../../platform/errors/field-problems.js';
import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { type CustomValues, readValues, type WrittenValues } from './field-values.js';
import { listFields } from './fields.js';
import { requireTags, splitTagCell } from './tag-names.js';

export const FIELDS_FILTER_RULE = 'must be a JSON object of field keys and values, such as {"plan":"pro"}';

/** As in the query of a list. */
export interface WrittenFilter {
  /** Separated by commas. */
  tags?: string;
  /** JSON. */
  fields?: string;
}

export interface MarksFilterInput {
  tags?: readonly string[];
  fields?: CustomValues;
}

/**
 * Empty texts filter nothing.
 * @throws {AppError} INVALID_REQUEST for invalid tags, JSON, keys or values
 */
export async function readMarksFilter(
  options: { prisma: Pick<PrismaClient, 'contactField'> },
  accountId: string,
  { tags: writtenTags = '', fields: writtenFields = '' }: WrittenFilter,
): Promise<MarksFilterInput> {
  const tags = requireTags('tags', splitTagCell(writtenTags));
  const fields = writtenFields === '' ? {} : await readFields(options, accountId, writtenFields);
  return { ...(tags.length > 0 && { tags }), ...(Object.keys(fields).length > 0 && { fields }) };
}

async function readFields(
  options: { prisma: Pick<PrismaClient, 'contactField'> },
  accountId: string,
  text: string,
): Promise<CustomValues> {
  const written = parseObject(text);
  if (written === null) throw invalidField('fields', FIELDS_FILTER_RULE);
  const { values, problems } = readValues(await listFields(options, accountId), written);
  const emptyKey = Object.keys(values).find((key) => values[key] === null);
  if (emptyKey !== undefined) problems.push({ field: `fields.${emptyKey}`, rule: 'must not be empty' });
  if (problems.length > 0) throw invalidFields(problems);
  return values as CustomValues;
}

function parseObject(text: string): WrittenValues | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const isValid = Object.values(value).every((each) => each === null || typeof each !== 'object');
    return isValid ? (value as WrittenValues) : null;
  } catch {
    return null;
  }
}
