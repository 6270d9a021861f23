import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { AppError, invalidField } from '../../platform/errors.js';
import { isUuid } from '../../platform/ids.js';
import type { Deps } from '../../process/deps.js';
import { RULE } from '../http/validation.js';
import { ErrorB } from './errors.js';

/** The routes of one resource, relative to `/api/v1`. Each names its scope in `config`. */
export type SurfaceBRoutes = FastifyPluginAsyncTypebox<{ deps: Deps }>;

const UUID_PATTERN = '^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

/** An id in an answer. */
export const Id = Type.String({ format: 'uuid', examples: ['0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'] });

/** An id in the answer of a request that may repeat an earlier one. */
export const IdUnlessDeleted = (what: string) =>
  Type.Union([Id, Type.Null()], { description: `The ${what}; null in a repetition after it was deleted.` });

/** An id in a body: 400 when malformed. */
export const BodyId = Type.String({
  pattern: UUID_PATTERN,
  examples: ['0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'],
  [RULE]: 'must be a UUID',
});

export const Timestamp = Type.String({
  format: 'date-time',
  description: 'ISO 8601, UTC, with milliseconds.',
  examples: ['2026-11-21T08:30:00.000Z'],
});

/** A timestamp in an answer, or null until it happens. */
export const NullableTimestamp = Type.Union([Timestamp, Type.Null()]);

/** A path with one id: `Type.Object({ id: PathId })`. What is no UUID is 404, see `pathId`. */
export const PathId = Type.String({ description: 'UUID; anything else is 404.' });

/** The answer of a success: `{ success: true, data }`. */
export function answer<T extends TSchema>(data: T) {
  return Type.Object({ success: Type.Literal(true), data }, { description: 'Done.' });
}

/** A success in the shape of `answer`. */
export function ok<T>(data: T): { success: true; data: T } {
  return { success: true, data };
}

const LIMIT = { minimum: 1, maximum: 1000, default: 50 } as const;
/** PostgreSQL's and JSON's integers go further, but nobody's list does. */
const OFFSET = { minimum: 0, maximum: 2_147_483_647, default: 0 } as const;

/** The query of a list: its own filters, `limit` and `offset`. Out of range is 400. */
export function listQuery<T extends TProperties>(filters: T) {
  return Type.Object({
    ...filters,
    limit: Type.Optional(
      Type.Integer({ ...LIMIT, description: 'Most entries.', [RULE]: 'must be an integer from 1 to 1000' }),
    ),
    offset: Type.Optional(
      Type.Integer({ ...OFFSET, description: 'Entries to skip.', [RULE]: 'must be an integer from 0' }),
    ),
  });
}

/** The page that a query made by `listQuery` asks for. */
export function pageOf(query: { limit?: number; offset?: number }): { limit: number; offset: number } {
  return { limit: query.limit ?? LIMIT.default, offset: query.offset ?? OFFSET.default };
}

/** `{ <plural>, total, limit, offset }`, the data of a list. */
export function listData<K extends string, T extends TSchema>(plural: K, entry: T) {
  return Type.Object({
    ...({ [plural]: Type.Array(entry) } as Record<K, ReturnType<typeof Type.Array<T>>>),
    total: Type.Integer({ description: 'Entries on all pages.' }),
    limit: Type.Integer(),
    offset: Type.Integer(),
  });
}

/**
 * A 404.
 * @param what the thing that is not there, e.g. `contact`
 */
export function notFound(what: string): AppError {
  return new AppError('NOT_FOUND', `There is no ${what} with this id.`);
}

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

const ERRORS = {
  400: 'The request is invalid; nothing was changed.',
  401: 'A header is missing, or the key or its secret is invalid.',
  402: 'The balance is too low; nothing was queued.',
  403: 'The key is not bound to the channel, or lacks the scope.',
  404: 'The resource does not exist.',
  409: 'The resource exists already, or is in another state.',
  413: 'The request body is too large.',
  415: 'The request body is not JSON.',
  422: 'The Idempotency-Key was used for another request.',
  429: 'Too many requests; `Retry-After` says when to try again.',
  500: 'Internal server error.',
  503: 'The server cannot take the request now; it may or may not have been accepted.',
} as const;

/**
 * The responses of a route that are errors. Every route has those that follow from its schema (400, 404, 413, 415) and
 * 401, 403, 429, 500 and 503 anyway; it names only others, such as 402, 409 or 422.
 */
export function errorsB(statuses: readonly (keyof typeof ERRORS)[]) {
  return Object.fromEntries(statuses.map((status) => [status, { ...ErrorB, description: ERRORS[status] }]));
}
