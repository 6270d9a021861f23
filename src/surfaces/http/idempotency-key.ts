import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IdempotencyKey } from '../../accounts/idempotency/idempotency.js';
import { invalidField } from '../../platform/errors/app-error.js';

/** 1 to 255 printable ASCII characters. */
export const IDEMPOTENCY_KEY_PATTERN = '^[ -~]{1,255}$';
const PATTERN = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/**
 * The claim that a request makes with its `Idempotency-Key`; null without one.
 * @param route method and pattern of the endpoint's path, e.g. `POST /v2/send`
 * @param meaning the body, without what further in says nothing; left out where there is nothing such
 * @throws {AppError} INVALID_REQUEST for a malformed key
 */
export function idempotencyClaim(
  request: FastifyRequest,
  route: string,
  meaning: unknown = request.body,
): IdempotencyKey | null {
  const key = idempotencyKeyOf(request);
  if (key === null) return null;
  const { body } = request;
  const schema = request.routeOptions.schema?.body as ObjectSchema | undefined;
  const bodyHash = hashOf(sorted(withoutDefaults(meaning, schema)));
  return { key, route, bodyHash, formerHashes: () => [hashOf(sorted(body)), hashOf(body)] };
}

/**
 * The claim of a request whose path holds ids, which are part of what it asks for; null without an `Idempotency-Key`.
 * @param of in front of its key, which so means nothing to others of the account
 * @throws {AppError} INVALID_REQUEST for a malformed key
 */
export function claimOfPath(request: FastifyRequest, of: string): IdempotencyKey | null {
  const claim = idempotencyClaim(request, `${request.method} ${request.url.split('?', 1)[0]}`);
  return claim && { ...claim, key: `${of} ${claim.key}` };
}

/**
 * The `Idempotency-Key` of a request; null without one.
 * @throws {AppError} INVALID_REQUEST for a malformed key
 */
export function idempotencyKeyOf(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !PATTERN.test(key)) {
    throw invalidField('Idempotency-Key', 'must be 1 to 255 printable ASCII characters');
  }
  // Node.js joins what was sent twice.
  if (key.includes(',') && isRepeated(request))
    throw invalidField('Idempotency-Key', 'must not be sent more than once');
  return key;
}

function isRepeated({ raw: { rawHeaders } }: FastifyRequest): boolean {
  return rawHeaders.filter((each, index) => index % 2 === 0 && each.toLowerCase() === 'idempotency-key').length > 1;
}

interface ObjectSchema {
  properties?: Record<string, { default?: unknown }>;
}

/**
 * A body without what it says as its schema would take it anyway: whether a default is written out means nothing. Only of its
 * own fields: what an object further in means may depend on the fields around it, and that it is there may mean something too.
 */
function withoutDefaults(value: unknown, { properties }: ObjectSchema = {}): unknown {
  if (!properties || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept = Object.entries(value).filter(([name, each]) => {
    const standard = properties[name]?.default;
    return standard === undefined || each !== standard;
  });
  return kept.length === Object.keys(value).length ? value : Object.fromEntries(kept);
}

function hashOf(body: unknown): Buffer {
  return hash('sha256', JSON.stringify(body), 'buffer');
}

/** A parsed body with the fields of every object in one order: the order in which a client writes them means nothing. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  // A list of thousands of numbers is taken as it is.
  if (Array.isArray(value)) return value.some((each) => typeof each === 'object') ? value.map(sorted) : value;
  const fields = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.keys(fields)
      .sort()
      .map((name) => [name, sorted(fields[name])]),
  );
}

/** Tells the caller that its request repeats an earlier one. */
export function noteReplay(reply: FastifyReply): void {
  reply.header('idempotent-replayed', 'true');
}
