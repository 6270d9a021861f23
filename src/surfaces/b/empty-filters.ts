import type { FastifyRequest, HookHandlerDoneFunction } from 'fastify';

/** Forms send these filters without a value if nothing is selected. */
export const OPTIONAL_FILTERS = [
  'status',
  'groupId',
  'audienceId',
  'unread',
  'windowOpen',
  'contactId',
  'phone',
  'userId',
  'purpose',
  'decision',
  'source',
] as const;

/** An empty filter such as `status=` counts as absent, because no entry can match it. */
export function dropEmptyFilters(request: FastifyRequest, _reply: unknown, done: HookHandlerDoneFunction): void {
  const query = request.query as Record<string, unknown>;
  for (const name of OPTIONAL_FILTERS) if (query[name] === '') delete query[name];
  done();
}
