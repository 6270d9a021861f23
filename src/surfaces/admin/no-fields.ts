import type { FastifyRequest } from 'fastify';
import { invalidFields } from '../../platform/errors/field-problems.js';
import { UNKNOWN_FIELD } from '../http/validation.js';

export async function refuseFields({ body }: FastifyRequest): Promise<void> {
  if (body === undefined || body === null) return;
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw invalidFields([{ field: 'body', rule: 'must be a JSON object' }]);
  }
  const names = Object.keys(body);
  if (names.length > 0) throw invalidFields(names.map((field) => ({ field, rule: UNKNOWN_FIELD })));
}
