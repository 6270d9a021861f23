import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IdempotencyKey } from '../../accounts/idempotency/idempotency.js';
import { invalidField } from '../../platform/errors/app-error.js';

/** An idempotency key has 1 to 255 printable ASCII characters. */
export const IDEMPOTENCY_KEY_PATTERN = '^[ -~]{1,255}$';
const PATTERN = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/**
 * @param route method and path pattern of the endpoint, for example `POST /v2/send`
 * @param relevantBody body without nested parts that do not affect the result, by default the whole body
 * @throws {AppError} INVALID_REQUEST for a malformed key
 */
export function idempotencyClaim(
  request: FastifyRequest,
  route: string,
  relevantBody: unknown = request.body,
): IdempotencyKey | null {
  const key = readIdempotencyKey(request);
  if (key === null) return null;
  const { body } = request;
  const schema = request.routeOptions.schema?.body as ObjectSchema | undefined;
  const bodyHash = hashBody(sortFields(withoutDefaults(relevantBody, schema)));
  return { key, route, bodyHash, formerHashes: () => [hashBody(sortFields(body)), hashBody(body)] };
}

/**
 * @param scope prepended to the key, so that equal keys in different scopes do not collide
 * @throws {AppError} INVALID_REQUEST for a malformed key
 */
export function claimForPath(request: FastifyRequest, scope: string): IdempotencyKey | null {
  const claim = idempotencyClaim(request, `${request.method} ${request.url.split('?', 1)[0]}`);
  return claim && { ...claim, key: `${scope} ${claim.key}` };
}

/** @throws {AppError} INVALID_REQUEST for a malformed key */
export function readIdempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !PATTERN.test(key)) {
    throw invalidField('Idempotency-Key', 'must be 1 to 255 printable ASCII characters');
  }
  // A key with a comma may be a repeated header, because Node.js joins repeated headers with commas.
  if (key.includes(',') && isRepeated(request))
    throw invalidField('Idempotency-Key', 'must not be sent more than once');
  return key;
}

function isRepeated({ raw: { rawHeaders } }: FastifyRequest): boolean {
  return rawHeaders.filter((header, index) => index % 2 === 0 && header.toLowerCase() === 'idempotency-key').length > 1;
}

interface ObjectSchema {
  properties?: Record<string, { default?: unknown }>;
}

/** Removes default values only at the top level, because the meaning of a nested object may depend on its other fields. */
function withoutDefaults(value: unknown, { properties }: ObjectSchema = {}): unknown {
  if (!properties || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const explicit = Object.entries(value).filter(([name, field]) => {
    const defaultValue = properties[name]?.default;
    return defaultValue === undefined || field !== defaultValue;
  });
  return explicit.length === Object.keys(value).length ? value : Object.fromEntries(explicit);
}

function hashBody(body: unknown): Buffer {
  return hash('sha256', JSON.stringify(body), 'buffer');
}

/** Sorts fields, because their order has no meaning in JSON. */
function sortFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  // A list without objects, possibly of thousands of numbers, is not copied.
  if (Array.isArray(value)) return value.some((item) => typeof item === 'object') ? value.map(sortFields) : value;
  const fields = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys(fields)
      .sort()
      .map((name) => [name, sortFields(fields[name])]),
  );
}

export function markReplayed(reply: FastifyReply): void {
  reply.header('idempotent-replayed', 'true');
}
