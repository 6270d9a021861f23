import type { Document } from './openapi-errors.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    optionalBody?: boolean;
  }
}

export const OPTIONAL_BODY = 'x-optional-body';

/** @fastify/swagger marks every body as required. */
export function markOptionalBodies(document: Document): void {
  for (const operation of Object.values(document.paths ?? {}).flatMap((methods) => Object.values(methods))) {
    if (operation[OPTIONAL_BODY] && operation.requestBody) operation.requestBody.required = false;
    delete operation[OPTIONAL_BODY];
  }
}
