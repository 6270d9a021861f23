import type { FastifyRequest } from 'fastify';
import { changeOf } from '../../../../accounts/audit/change-of.js';
import { addFound, findAll } from '../../../../features/contacts/groups/add-found.js';
import { changeMembers } from '../../../../features/contacts/groups/bulk-members.js';
import {
  createGroup,
  deleteGroup,
  type Group,
  lockedGroup,
  pageGroups,
  readGroup,
  updateGroup,
} from '../../../../features/contacts/groups/groups.js';
import { canBeHeld } from '../../../../features/contacts/search/term.js';
import type { Clock } from '../../../../platform/clock.js';
import { found, notFound, pathId, uniqueIds } from '../../../http/ids.js';
import type { OptionsOf } from '../../../http/options-of.js';
import { groupRecord } from '../../../resources/people/groups.js';
import { cursorPage, done, ok, page } from '../../answers.js';
import { GROUPS } from '../../contract/people/groups.js';
import { type Endpoints, routesOf } from '../../endpoint.js';
import { scopeOf } from '../../session-auth.js';

export type GroupEndpointOptions = OptionsOf<typeof readGroup> & {
  pool: Parameters<typeof findAll>[0]['pool'];
  clock: Clock;
};

const BASE = '/accounts/:accountId/channels/:channelId/groups';

/** The groups of a channel's contacts. */
export const groupEndpoints: Endpoints<GroupEndpointOptions> = async (app, options) => {
  const route = routesOf(app, GROUPS);
  const { clock } = options;
  const idOf = (request: FastifyRequest) => pathId((request.params as { id: string }).id, 'group');

  route('GET /accounts/:accountId/channels/:channelId/groups', async (request) => {
    const { search } = request.query;
    const asked = { ...cursorPage(request.query), search };
    const { groups, next } = await pageGroups(options, scopeOf(request), asked);
    return page(groups.map(groupRecord), next);
  });

  route('POST /accounts/:accountId/channels/:channelId/groups', async (request) => {
    const { name, description = '' } = request.body;
    return request.change(async (change) => {
      const group = await createGroup(change, { ...scopeOf(request), name, description, at: clock.now() });
      const told = { action: 'group.create', subject: group.id, after: { name, description } };
      return { result: ok(groupRecord(group)), told };
    });
  });

  route('GET /accounts/:accountId/channels/:channelId/groups/:id', async (request) =>
    ok(groupRecord(found(await readGroup(options, scopeOf(request), idOf(request)), 'group'))),
  );

  route('PUT /accounts/:accountId/channels/:channelId/groups/:id', async (request) => {
    const { name, description } = request.body;
    return request.change(async (change) => {
      const before = found(await lockedGroup(change, scopeOf(request), idOf(request)), 'group');
      const asked = { name, description, at: clock.now() };
      const after = found(await updateGroup(change, scopeOf(request), before.id, asked), 'group');
      const told = changeOf('group.update', before.id, kept(before), kept(after));
      return { result: ok(groupRecord(after)), told };
    });
  });

  route('DELETE /accounts/:accountId/channels/:channelId/groups/:id', async (request) => {
    return request.change(async (change) => {
      const { id, name, contactCount } = found(await readGroup(change, scopeOf(request), idOf(request)), 'group');
      if (!(await deleteGroup(change, scopeOf(request), id))) throw notFound('group');
      return { result: done(), told: { action: 'group.delete', subject: id, before: { name, contactCount } } };
    });
  });

  route('POST /accounts/:accountId/channels/:channelId/groups/:id/add-found', async (request) => {
    const { search = '', groupId: from = '' } = request.body;
    const scope = scopeOf(request);
    const groupId = idOf(request);
    const groupFilter = from === '' ? undefined : pathId(from, 'group');
    const filter = { channelId: scope.channelId, groupId: groupFilter, term: search || undefined };
    // What no contact can hold matches none. Looked for before the transaction, which holds the group.
    const ids = canBeHeld(search) ? await findAll(options, filter) : [];
    return request.change(async ({ client }) => {
      const changed = await addFound(client, { ...scope, groupId }, ids, clock.now());
      const after = { search, from: groupFilter ?? null, found: ids.length, added: changed };
      const told = { action: 'group.add', subject: groupId, after };
      return { result: ok({ changed, unchanged: ids.length - changed }), told: changed === 0 ? null : told };
    });
  });

  for (const path of ['add', 'remove'] as const) {
    route(`POST ${BASE}/:id/${path}`, async (request) => {
      const contactIds = uniqueIds(request.body.contactIds);
      const groupId = idOf(request);
      return request.change(async (change) => {
        const changed = await changeMembers(
          change.client,
          path,
          { ...scopeOf(request), groupId, contactIds },
          clock.now(),
        );
        const told = { action: `group.${path}`, subject: groupId, after: { contactIds } };
        const result = ok({ changed, unchanged: contactIds.length - changed });
        return { result, told: changed === 0 ? null : told };
      });
    });
  }
};

function kept({ name, description }: Group) {
  return { name, description };
}
