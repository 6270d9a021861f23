import { Type } from '@sinclair/typebox';
import { invalidField, notFound } from '../../platform/errors/app-error.js';
import { isUuid } from '../../platform/ids.js';
import { Id } from './schemas/values.js';
import { RULE } from './validation.js';

const UUID_PATTERN = '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

/** ID of a resource in a response, or null if the response repeats an earlier one and the resource has since been deleted. */
export const IdUnlessDeleted = (resource: string) =>
  Type.Union([Id, Type.Null()], {
    description: `The ${resource}; null in a repeated response if it has been deleted since.`,
  });

/** 400 if malformed. */
export const BodyId = Type.String({
  pattern: UUID_PATTERN,
  examples: ['0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'],
  [RULE]: 'must be a UUID',
});

const MAX_IDS = 1000;

export const ContactIds = Type.Array(BodyId, {
  minItems: 1,
  maxItems: MAX_IDS,
  [RULE]: `must be a list of 1 to ${MAX_IDS} UUIDs`,
});

/** Returns the IDs in lower case, without duplicates. */
export function uniqueIds(values: readonly string[]): string[] {
  return [...new Set(values.map((value) => value.toLowerCase()))];
}

/** The schema accepts any text, because `pathId` throws a 404 for text that is not a UUID. */
export const PathId = Type.String({ description: 'A UUID. For any other value, the response is 404.' });
export const OnePath = Type.Object({ id: PathId });

/**
 * @param resource name for the error, for example `contact`
 * @returns the ID in lower case
 * @throws {AppError} NOT_FOUND if the ID is malformed
 */
export function pathId(value: string, resource: string): string {
  if (!isUuid(value)) throw notFound(resource);
  return value.toLowerCase();
}

/**
 * @returns the ID in lower case
 * @throws {AppError} INVALID_REQUEST if the ID is malformed
 */
export function bodyId(value: string, field: string): string {
  if (!isUuid(value)) throw invalidField(field, 'must be a UUID');
  return value.toLowerCase();
}

/** @throws {AppError} NOT_FOUND if `value` is null */
export function requireFound<T>(value: T | null, resource: string): T {
  if (value === null) throw notFound(resource);
  return value;
}
