import type { Document } from './openapi-errors.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body may be left out: a `preValidation` of the endpoint takes that as `{}`. */
    optionalBody?: boolean;
  }
}

/** In the schema of an operation, for `tellOptionalBodies`. */
export const OPTIONAL_BODY = 'x-optional-body';

/** Says of the operations whose body may be left out that it is not required: the plugin that collects them requires every body. */
export function tellOptionalBodies(document: Document): void {
  for (const operation of Object.values(document.paths ?? {}).flatMap((methods) => Object.values(methods))) {
    if (operation[OPTIONAL_BODY] && operation.requestBody) operation.requestBody.required = false;
    delete operation[OPTIONAL_BODY];
  }
}
