import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IdempotencyKey } from '../../messages/compose/send-request.js';
import { invalidField } from '../../platform/errors/app-error.js';

/** 1 to 255 printable ASCII characters. */
export const IDEMPOTENCY_KEY_PATTERN = '^[ -~]{1,255}$';
const PATTERN = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/**
 * The claim that a request makes with its `Idempotency-Key`; null without one.
 * @param route method and pattern of the endpoint's path, e.g. `POST /v2/send`
 * @throws {AppError} INVALID_REQUEST for a malformed key
 */
export function idempotencyClaim(request: FastifyRequest, route: string): IdempotencyKey | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !PATTERN.test(key)) {
    throw invalidField('Idempotency-Key', 'must be 1 to 255 printable ASCII characters');
  }
  const { body } = request;
  return { key, route, bodyHash: hashOf(sorted(body)), formerHash: () => hashOf(body) };
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
