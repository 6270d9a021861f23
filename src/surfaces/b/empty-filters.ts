import type { FastifyRequest, HookHandlerDoneFunction } from 'fastify';

/** Filters that choose one of several things; a form that was left empty sends them without a value. */
const CHOICES = ['status', 'groupId', 'unread', 'windowOpen'] as const;

/** A `preValidation`: an empty choice, such as `status=`, counts as absent, for nothing has an empty status or id. */
export function emptyFiltersAreNone(request: FastifyRequest, _reply: unknown, done: HookHandlerDoneFunction): void {
  const query = request.query as Record<string, unknown>;
  for (const name of CHOICES) if (query[name] === '') delete query[name];
  done();
}
