import type { FastifyRequest } from 'fastify';
import { changeOf } from '../../../../accounts/audit/change-of.js';
import { addFound, findAll, MOST_FOUND } from '../../../../features/contacts/groups/add-found.js';
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
import { groupRecord } from '../../../resources/groups.js';
import { cursorPage, DoneData, done, ok, page } from '../../answers.js';
import { type Endpoints, endpoint, pageEndpoint } from '../../endpoint.js';
import { ChannelPath, ChannelThingPath } from '../../paths.js';
import { scopeOf } from '../../session-auth.js';
import {
  CreateGroupBody,
  FoundBody,
  GroupEntry,
  GroupListQuery,
  MembersBody,
  MembersData,
  UpdateGroupBody,
} from './groups-schemas.js';

export type GroupEndpointOptions = OptionsOf<typeof readGroup> & {
  pool: Parameters<typeof findAll>[0]['pool'];
  clock: Clock;
};

const BASE = '/accounts/:accountId/channels/:channelId/groups';

/** The groups of a channel's contacts. */
export const groupEndpoints: Endpoints<GroupEndpointOptions> = async (app, options) => {
  const { clock } = options;
  const idOf = (request: FastifyRequest) => pathId((request.params as { id: string }).id, 'group');

  app.get(
    BASE,
    pageEndpoint({
      needs: 'viewer',
      of: 'account',
      operationId: 'consoleListGroups',
      summary: 'List the groups of a channel, the newest first',
      params: ChannelPath,
      querystring: GroupListQuery,
      entry: GroupEntry,
    }),
    async (request) => {
      const { search } = request.query;
      const asked = { ...cursorPage(request.query), search };
      const { groups, next } = await pageGroups(options, scopeOf(request), asked);
      return page(groups.map(groupRecord), next);
    },
  );

  app.post(
    BASE,
    endpoint({
      needs: 'developer',
      of: 'account',
      operationId: 'consoleCreateGroup',
      summary: 'Make a group',
      params: ChannelPath,
      body: CreateGroupBody,
      data: GroupEntry,
      errors: [409],
    }),
    async (request) => {
      const { name, description = '' } = request.body;
      return request.change(async (change) => {
        const group = await createGroup(change, { ...scopeOf(request), name, description, at: clock.now() });
        const told = { action: 'group.create', subject: group.id, after: { name, description } };
        return { result: ok(groupRecord(group)), told };
      });
    },
  );

  app.get(
    `${BASE}/:id`,
    endpoint({
      needs: 'viewer',
      of: 'account',
      operationId: 'consoleGetGroup',
      summary: 'Show a group',
      params: ChannelThingPath,
      data: GroupEntry,
    }),
    async (request) => ok(groupRecord(found(await readGroup(options, scopeOf(request), idOf(request)), 'group'))),
  );

  app.put(
    `${BASE}/:id`,
    endpoint({
      needs: 'developer',
      of: 'account',
      operationId: 'consoleUpdateGroup',
      summary: 'Change the name or the description of a group',
      params: ChannelThingPath,
      body: UpdateGroupBody,
      data: GroupEntry,
      errors: [409],
    }),
    async (request) => {
      const { name, description } = request.body;
      return request.change(async (change) => {
        const before = found(await lockedGroup(change, scopeOf(request), idOf(request)), 'group');
        const asked = { name, description, at: clock.now() };
        const after = found(await updateGroup(change, scopeOf(request), before.id, asked), 'group');
        const told = changeOf('group.update', before.id, kept(before), kept(after));
        return { result: ok(groupRecord(after)), told };
      });
    },
  );

  app.delete(
    `${BASE}/:id`,
    endpoint({
      needs: 'developer',
      of: 'account',
      operationId: 'consoleDeleteGroup',
      summary: 'Delete a group; its contacts stay',
      params: ChannelThingPath,
      data: DoneData,
    }),
    async (request) => {
      return request.change(async (change) => {
        const { id, name, contactCount } = found(await readGroup(change, scopeOf(request), idOf(request)), 'group');
        if (!(await deleteGroup(change, scopeOf(request), id))) throw notFound('group');
        return { result: done(), told: { action: 'group.delete', subject: id, before: { name, contactCount } } };
      });
    },
  );

  /** An endpoint that changes whether contacts are members. */
  const members = (path: 'add' | 'remove', operationId: `console${string}`, summary: string) =>
    app.post(
      `${BASE}/:id/${path}`,
      endpoint({
        needs: 'developer',
        of: 'account',
        operationId,
        summary,
        description: 'All or none: an unknown contact is 404, and nothing is changed.',
        params: ChannelThingPath,
        body: MembersBody,
        data: MembersData,
      }),
      async (request) => {
        const contactIds = uniqueIds(request.body.contactIds);
        const groupId = idOf(request);
        return request.change(async (change) => {
          const changed = await changeMembers(change.client, path, { ...scopeOf(request), groupId, contactIds });
          const told = { action: `group.${path}`, subject: groupId, after: { contactIds } };
          const result = ok({ changed, unchanged: contactIds.length - changed });
          return { result, told: changed === 0 ? null : told };
        });
      },
    );
  app.post(
    `${BASE}/:id/add-found`,
    endpoint({
      needs: 'developer',
      of: 'account',
      operationId: 'consoleAddFoundToGroup',
      summary: 'Add all contacts that a search finds to a group',
      description: `At most ${MOST_FOUND} at once, those that it finds by now.`,
      params: ChannelThingPath,
      body: FoundBody,
      data: MembersData,
    }),
    async (request) => {
      const { search = '', groupId: from = '' } = request.body;
      const scope = scopeOf(request);
      const groupId = idOf(request);
      const groupFilter = from === '' ? undefined : pathId(from, 'group');
      const filter = { channelId: scope.channelId, groupId: groupFilter, term: search || undefined };
      // What no contact can hold matches none. Looked for before the transaction, which holds the group.
      const ids = canBeHeld(search) ? await findAll(options, filter) : [];
      return request.change(async ({ client }) => {
        const changed = await addFound(client, { ...scope, groupId }, ids);
        const after = { search, from: groupFilter ?? null, found: ids.length, added: changed };
        const told = { action: 'group.add', subject: groupId, after };
        return { result: ok({ changed, unchanged: ids.length - changed }), told: changed === 0 ? null : told };
      });
    },
  );

  members('add', 'consoleAddToGroup', 'Add contacts to a group');
  members('remove', 'consoleRemoveFromGroup', 'Remove contacts from a group');
};

function kept({ name, description }: Group) {
  return { name, description };
}
