import type { FastifyRequest } from 'fastify';
import { diffForAudit } from '../../../../accounts/audit/diff.js';
import { filterByAudience } from '../../../../features/audiences/contact-filter.js';
import { deleteUnusedGroup } from '../../../../features/audiences/delete-used.js';
import { readMarksFilter } from '../../../../features/contacts/custom/filter.js';
import { addMatches, findMatchingIds } from '../../../../features/contacts/groups/add-found.js';
import { changeMembers } from '../../../../features/contacts/groups/bulk-members.js';
import {
  createGroup,
  type Group,
  listGroupPage,
  lockGroup,
  readGroup,
  updateGroup,
} from '../../../../features/contacts/groups/groups.js';
import { isSearchable } from '../../../../features/contacts/search/term.js';
import type { Clock } from '../../../../platform/clock.js';
import { notFound } from '../../../../platform/errors/app-error.js';
import { pathId, requireFound, uniqueIds } from '../../../http/ids.js';
import type { UseCaseOptions } from '../../../http/use-case-options.js';
import { groupRecord } from '../../../resources/people/groups.js';
import { cursorPage, done, ok, page } from '../../answers.js';
import { GROUPS } from '../../contract/people/groups.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestScope } from '../../session-auth.js';

export type GroupEndpointOptions = UseCaseOptions<typeof readGroup | typeof readMarksFilter> & {
  pool: Parameters<typeof findMatchingIds>[0]['pool'];
  clock: Clock;
};

const BASE = '/accounts/:accountId/channels/:channelId/groups';

export const groupEndpoints: Endpoints<GroupEndpointOptions> = async (app, options) => {
  const route = registerRoutes(app, GROUPS);
  const { clock } = options;
  const readGroupId = (request: FastifyRequest) => pathId((request.params as { id: string }).id, 'group');

  route('GET /accounts/:accountId/channels/:channelId/groups', async (request) => {
    const { search } = request.query;
    const pageRequest = { ...cursorPage(request.query), search };
    const { groups, next } = await listGroupPage(options, requestScope(request), pageRequest);
    return page(groups.map(groupRecord), next);
  });

  route('POST /accounts/:accountId/channels/:channelId/groups', async (request) => {
    const { name, description = '' } = request.body;
    return request.change(async (change) => {
      const group = await createGroup(change, { ...requestScope(request), name, description, at: clock.now() });
      const auditEntry = { action: 'group.create', subject: group.id, after: { name, description } };
      return { result: ok(groupRecord(group)), audit: auditEntry };
    });
  });

  route('GET /accounts/:accountId/channels/:channelId/groups/:id', async (request) =>
    ok(groupRecord(requireFound(await readGroup(options, requestScope(request), readGroupId(request)), 'group'))),
  );

  route('PUT /accounts/:accountId/channels/:channelId/groups/:id', async (request) => {
    const { name, description } = request.body;
    return request.change(async (change) => {
      const before = requireFound(await lockGroup(change, requestScope(request), readGroupId(request)), 'group');
      const input = { name, description, at: clock.now() };
      const after = requireFound(await updateGroup(change, requestScope(request), before.id, input), 'group');
      const auditEntry = diffForAudit('group.update', before.id, auditedFields(before), auditedFields(after));
      return { result: ok(groupRecord(after)), audit: auditEntry };
    });
  });

  route('DELETE /accounts/:accountId/channels/:channelId/groups/:id', async (request) => {
    return request.change(async (change) => {
      const { id, name, contactCount } = requireFound(
        await readGroup(change, requestScope(request), readGroupId(request)),
        'group',
      );
      if (!(await deleteUnusedGroup({ pool: change.client }, requestScope(request), id))) throw notFound('group');
      return { result: done(), audit: { action: 'group.delete', subject: id, before: { name, contactCount } } };
    });
  });

  route('POST /accounts/:accountId/channels/:channelId/groups/:id/add-found', async (request) => {
    const { search = '', groupId: from = '', audienceId, tags, fields } = request.body;
    const scope = requestScope(request);
    const groupId = readGroupId(request);
    const sourceGroupId = from === '' ? undefined : pathId(from, 'group');
    const marks = await readMarksFilter(options, scope.accountId, { tags, fields });
    const audienceFilter = await filterByAudience(options.pool, scope, {
      filter: { channelId: scope.channelId, groupId: sourceGroupId, term: search || undefined, ...marks },
      id: audienceId || undefined,
      now: clock.now(),
    });
    const filter = requireFound(audienceFilter, 'audience');
    // The search runs before the transaction, because the transaction locks the group.
    const ids = isSearchable(search) ? await findMatchingIds(options, filter) : [];
    return request.change(async ({ client }) => {
      const addedCount = await addMatches(client, { ...scope, groupId }, ids, clock.now());
      const source = { from: sourceGroupId ?? null, ...(audienceId && { audienceId }) };
      const after = { search, ...source, ...marks, found: ids.length, added: addedCount };
      const auditEntry = { action: 'group.add', subject: groupId, after };
      return {
        result: ok({ changed: addedCount, unchanged: ids.length - addedCount }),
        audit: addedCount === 0 ? null : auditEntry,
      };
    });
  });

  for (const path of ['add', 'remove'] as const) {
    route(`POST ${BASE}/:id/${path}`, async (request) => {
      const contactIds = uniqueIds(request.body.contactIds);
      const groupId = readGroupId(request);
      return request.change(async (change) => {
        const changedCount = await changeMembers(
          change.client,
          path,
          { ...requestScope(request), groupId, contactIds },
          clock.now(),
        );
        const auditEntry = { action: `group.${path}`, subject: groupId, after: { contactIds } };
        const result = ok({ changed: changedCount, unchanged: contactIds.length - changedCount });
        return { result, audit: changedCount === 0 ? null : auditEntry };
      });
    });
  }
};

function auditedFields({ name, description }: Group) {
  return { name, description };
}
