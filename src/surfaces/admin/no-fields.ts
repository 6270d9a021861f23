import type { FastifyRequest } from 'fastify';
import { invalidFields } from '../../platform/errors/field-problems.js';
import { UNKNOWN_FIELD } from '../http/validation.js';

/**
 * Of an endpoint without a body: a request may have an empty one, for it must be JSON, and none that says anything.
 * @throws {AppError} INVALID_REQUEST
 */
export async function refuseFields({ body }: FastifyRequest): Promise<void> {
  if (body === undefined || body === null) return;
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw invalidFields([{ field: 'body', rule: 'must be a JSON object' }]);
  }
  const names = Object.keys(body);
  if (names.length > 0) throw invalidFields(names.map((field) => ({ field, rule: UNKNOWN_FIELD })));
}
