import type { FastifyRequest } from 'fastify';
import { changeMembers } from '../../../../features/contacts/groups/bulk-members.js';
import {
  createGroup,
  deleteGroup,
  type Group,
  pageGroups,
  readGroup,
  updateGroup,
} from '../../../../features/contacts/groups/groups.js';
import type { Clock } from '../../../../platform/clock.js';
import { found, notFound, pathId, uniqueIds } from '../../../http/ids.js';
import type { OptionsOf } from '../../../http/options-of.js';
import { cursorPage, DoneData, done, ok, page } from '../../answers.js';
import { type Endpoints, endpoint, pageEndpoint } from '../../endpoint.js';
import { ChannelPath, ChannelThingPath } from '../../paths.js';
import { scopeOf } from '../../session-auth.js';
import {
  CreateGroupBody,
  GroupEntry,
  GroupListQuery,
  MembersBody,
  MembersData,
  UpdateGroupBody,
} from './groups-schemas.js';

export type GroupEndpointOptions = OptionsOf<typeof createGroup> & {
  pool: Parameters<typeof changeMembers>[0];
  clock: Clock;
};

const BASE = '/accounts/:accountId/channels/:channelId/groups';

/** The groups of a channel's contacts. */
export const groupEndpoints: Endpoints<GroupEndpointOptions> = async (app, options) => {
  const { pool, clock } = options;
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
      const group = await createGroup(options, { ...scopeOf(request), name, description, at: clock.now() });
      await request.audit({ action: 'group.create', subject: group.id, after: { name, description } });
      return ok(groupRecord(group));
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
      const before = found(await readGroup(options, scopeOf(request), idOf(request)), 'group');
      const change = { name, description, at: clock.now() };
      const after = found(await updateGroup(options, scopeOf(request), before.id, change), 'group');
      await request.audit({
        action: 'group.update',
        subject: before.id,
        before: { name: before.name, description: before.description },
        after: { name: after.name, description: after.description },
      });
      return ok(groupRecord(after));
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
      const { id, name, contactCount } = found(await readGroup(options, scopeOf(request), idOf(request)), 'group');
      if (!(await deleteGroup(options, scopeOf(request), id))) throw notFound('group');
      await request.audit({ action: 'group.delete', subject: id, before: { name, contactCount } });
      return done();
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
        const changed = await changeMembers(pool, path, { ...scopeOf(request), groupId, contactIds });
        await request.audit({ action: `group.${path}`, subject: groupId, after: { contactIds } });
        return ok({ changed, unchanged: contactIds.length - changed });
      },
    );
  members('add', 'consoleAddToGroup', 'Add contacts to a group');
  members('remove', 'consoleRemoveFromGroup', 'Remove contacts from a group');
};

function groupRecord({ id, name, description, contactCount, createdAt }: Group) {
  return { id, name, description, contactCount, createdAt: createdAt.toISOString() };
}
