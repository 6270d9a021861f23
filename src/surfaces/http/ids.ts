import { Type } from '@sinclair/typebox';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import { isUuid } from '../../platform/ids.js';
import { Id } from './schemas/values.js';
import { RULE } from './validation.js';

const UUID_PATTERN = '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

/** An id in the answer of a request that may repeat an earlier one. */
export const IdUnlessDeleted = (what: string) =>
  Type.Union([Id, Type.Null()], { description: `The ${what}; null in a repetition after it was deleted.` });

/** An id in a body: 400 when malformed. */
export const BodyId = Type.String({
  pattern: UUID_PATTERN,
  examples: ['0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'],
  [RULE]: 'must be a UUID',
});

const MAX_IDS = 1000;

/** Ids of contacts in a body. */
export const ContactIds = Type.Array(BodyId, {
  minItems: 1,
  maxItems: MAX_IDS,
  [RULE]: `must be a list of 1 to ${MAX_IDS} UUIDs`,
});

/** Ids of a body in lower case, each once. */
export function uniqueIds(values: readonly string[]): string[] {
  return [...new Set(values.map((value) => value.toLowerCase()))];
}

/** A path with one id: `Type.Object({ id: PathId })`. What is no UUID is 404, see `pathId`. */
export const PathId = Type.String({ description: 'UUID; anything else is 404.' });
export const OnePath = Type.Object({ id: PathId });

/**
 * An id of a path in lower case.
 * @param what the thing that it names, e.g. `contact`
 * @throws {AppError} NOT_FOUND when it is malformed
 */
export function pathId(value: string, what: string): string {
  if (!isUuid(value)) throw notFound(what);
  return value.toLowerCase();
}

/**
 * An id of a body in lower case.
 * @throws {AppError} INVALID_REQUEST when it is malformed
 */
export function bodyId(value: string, field: string): string {
  if (!isUuid(value)) throw invalidField(field, 'must be a UUID');
  return value.toLowerCase();
}

/**
 * What was looked for by its id.
 * @param what the thing, e.g. `contact`
 * @throws {AppError} NOT_FOUND where it was not found
 */
export function found<T>(thing: T | null, what: string): T {
  if (thing === null) throw notFound(what);
  return thing;
}

/**
 * A 404.
 * @param what the thing that is not there, e.g. `contact`
 */
export function notFound(what: string): AppError {
  return new AppError('NOT_FOUND', `There is no ${what} with this id.`);
}
