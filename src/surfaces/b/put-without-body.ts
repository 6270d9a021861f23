import type { FastifyRequest, HookHandlerDoneFunction } from 'fastify';

/** A `preValidation`: every PUT changes the given fields, so a body that is absent gives none, as `{}` does. */
export function putWithoutBody(request: FastifyRequest, _reply: unknown, done: HookHandlerDoneFunction): void {
  if (request.method === 'PUT' && request.body === undefined) request.body = {};
  done();
}
