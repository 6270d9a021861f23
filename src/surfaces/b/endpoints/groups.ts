import { Type } from '@sinclair/typebox';
import { deleteUnusedGroup } from '../../../features/audiences/delete-used.js';
import { changeMembers } from '../../../features/contacts/groups/bulk-members.js';
import { createGroup, listGroups, readGroup, updateGroup } from '../../../features/contacts/groups/groups.js';
import { addMember, removeMember } from '../../../features/contacts/groups/members.js';
import type { Clock } from '../../../platform/clock.js';
import { notFound } from '../../../platform/errors/app-error.js';
import { BodyId, bodyId, ContactIds, PathId, pathId, requireFound, uniqueIds } from '../../http/ids.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { channelScope } from '../../resources/callers/channel-caller.js';
import { GroupData, GroupDescription, GroupName, groupRecord, MembersData } from '../../resources/people/groups.js';
import { DoneData, done, ok } from '../answers.js';
import { type Endpoints, GROUPS } from '../endpoint.js';

const CreateBody = Type.Object(
  { name: GroupName, description: Type.Optional(GroupDescription) },
  { examples: [{ name: 'Customers', description: 'Everybody who has bought' }] },
);
const UpdateBody = Type.Object(
  { name: Type.Optional(GroupName), description: Type.Optional(GroupDescription) },
  { description: 'The fields to change.', examples: [{ name: 'Customers' }] },
);
const MemberBody = Type.Object({ contactId: BodyId });
const MembersBody = Type.Object(
  { contactIds: ContactIds },
  { examples: [{ contactIds: ['0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'] }] },
);
const GroupPath = Type.Object({ groupId: PathId });

export type GroupOptions = UseCaseOptions<
  typeof listGroups | typeof createGroup | typeof updateGroup | typeof deleteUnusedGroup
> & { pool: UseCaseOptions<typeof addMember>; clock: Clock };

export const groupEndpoints: Endpoints<GroupOptions> = async (app, options) => {
  const { pool, clock } = options;
  const readGroupId = (params: { groupId: string }) => pathId(params.groupId, 'group');

  app.get(
    '/contacts/groups',
    GROUPS.read({
      operationId: 'listGroups',
      summary: 'List all contact groups, newest first',
      data: Type.Array(GroupData),
    }),
    async ({ caller }) => ok((await listGroups(options, channelScope(caller))).map(groupRecord)),
  );

  app.post(
    '/contacts/groups',
    GROUPS.write({
      operationId: 'createGroup',
      summary: 'Create a contact group',
      body: CreateBody,
      data: GroupData,
      errors: [409],
    }),
    async ({ body: { name, description = '' }, caller }) =>
      ok(groupRecord(await createGroup(options, { ...channelScope(caller), name, description, at: clock.now() }))),
  );

  app.get(
    '/contacts/groups/:groupId',
    GROUPS.read({ operationId: 'getGroup', summary: 'Get a contact group', params: GroupPath, data: GroupData }),
    async ({ params, caller }) =>
      ok(groupRecord(requireFound(await readGroup(options, channelScope(caller), readGroupId(params)), 'group'))),
  );

  app.put(
    '/contacts/groups/:groupId',
    GROUPS.write({
      operationId: 'updateGroup',
      summary: 'Change the name or the description of a contact group',
      params: GroupPath,
      body: UpdateBody,
      data: GroupData,
      errors: [409],
    }),
    async ({ params, body: { name, description }, caller }) => {
      const change = { name, description, at: clock.now() };
      return ok(
        groupRecord(
          requireFound(await updateGroup(options, channelScope(caller), readGroupId(params), change), 'group'),
        ),
      );
    },
  );

  app.delete(
    '/contacts/groups/:groupId',
    GROUPS.write({
      operationId: 'deleteGroup',
      summary: 'Delete a contact group, but not its contacts',
      description: '409 if an audience uses the group.',
      params: GroupPath,
      data: DoneData,
      errors: [409],
    }),
    async ({ params, caller }) => {
      if (!(await deleteUnusedGroup(options, channelScope(caller), readGroupId(params)))) throw notFound('group');
      return done('The group was deleted.');
    },
  );

  const memberEndpoint = (
    path: string,
    description: { operationId: string; summary: string },
    memberChange: MemberChange,
  ) =>
    app.post(
      `/contacts/groups/:groupId/${path}`,
      GROUPS.write({ ...description, params: GroupPath, body: MemberBody, data: DoneData }),
      async ({ params, body, caller: { channel } }) => {
        const ids = { groupId: readGroupId(params), contactId: bodyId(body.contactId, 'contactId') };
        const isChanged = await memberChange.change(pool, { channelId: channel.id, ...ids }, clock.now());
        return done(isChanged ? memberChange.changedMessage : memberChange.unchangedMessage);
      },
    );

  memberEndpoint(
    'add',
    { operationId: 'addToGroup', summary: 'Add a contact to a group' },
    {
      change: addMember,
      changedMessage: 'The contact was added to the group.',
      unchangedMessage: 'The contact is already in the group.',
    },
  );
  memberEndpoint(
    'remove',
    { operationId: 'removeFromGroup', summary: 'Remove a contact from a group' },
    {
      change: removeMember,
      changedMessage: 'The contact was removed from the group.',
      unchangedMessage: 'The contact is not in the group.',
    },
  );

  const membersEndpoint = (change: 'add' | 'remove', description: { operationId: string; summary: string }) =>
    app.post(
      `/contacts/groups/:groupId/bulk-${change}`,
      GROUPS.write({
        ...description,
        description: 'All or nothing: if a contact does not exist, the response is 404 and nothing is changed.',
        params: GroupPath,
        body: MembersBody,
        data: MembersData,
      }),
      async ({ params, body, caller }) => {
        const contactIds = body.contactIds.map((id) => id.toLowerCase());
        const ids = { ...channelScope(caller), groupId: readGroupId(params), contactIds };
        const changedCount = await changeMembers(pool, change, ids, clock.now());
        return ok({ changed: changedCount, unchanged: uniqueIds(contactIds).length - changedCount });
      },
    );
  membersEndpoint('add', { operationId: 'addAllToGroup', summary: 'Add several contacts to a group' });
  membersEndpoint('remove', { operationId: 'removeAllFromGroup', summary: 'Remove several contacts from a group' });
};

interface MemberChange {
  change: typeof addMember;
  changedMessage: string;
  unchangedMessage: string;
}
