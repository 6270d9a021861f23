import { Type } from '@sinclair/typebox';
import {
  createGroup,
  deleteGroup,
  type GroupRow,
  listGroups,
  updateGroup,
} from '../../../features/contacts/group-store.js';
import { addMember, removeMember } from '../../../features/contacts/groups.js';
import { RULE } from '../../http/validation.js';
import {
  answer,
  BodyId,
  bodyId,
  errorsB,
  Id,
  notFound,
  ok,
  PathId,
  pathId,
  type SurfaceBRoutes,
  Timestamp,
} from '../shared.js';

const NAME_RULE = 'must be a text of 1 to 200 characters without control characters';
const DESCRIPTION_RULE = 'must be a text of at most 1000 characters';

const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^(?=.*\\S)\\P{Cc}*$',
  examples: ['Customers'],
  [RULE]: NAME_RULE,
});
const Description = Type.String({ maxLength: 1000, examples: ['Everybody who has bought'], [RULE]: DESCRIPTION_RULE });

const GroupData = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String({ description: 'Empty while unset.' }),
  contactCount: Type.Integer(),
  createdAt: Timestamp,
});

const CreateBody = Type.Object(
  { name: Name, description: Type.Optional(Description) },
  { examples: [{ name: 'Customers', description: 'Everybody who has bought' }] },
);
const UpdateBody = Type.Object(
  { name: Type.Optional(Name), description: Type.Optional(Description) },
  { description: 'Fields to change.', examples: [{ name: 'Customers' }] },
);
const MemberBody = Type.Object({ contactId: BodyId });
const Done = answer(Type.Object({ message: Type.String() }));

const TAGS = ['Contact groups'];
const GroupPath = Type.Object({ groupId: PathId });

function groupRecord({ id, name, description, contactCount, createdAt }: GroupRow) {
  return { id, name, description, contactCount, createdAt: createdAt.toISOString() };
}

export const groupRoutes: SurfaceBRoutes = async (app, { deps }) => {
  const { pool, clock } = deps;

  app.get(
    '/contacts/groups',
    {
      config: { scope: 'contacts:read' },
      schema: {
        operationId: 'listGroups',
        tags: TAGS,
        summary: 'List all contact groups, newest first',
        response: { 200: answer(Type.Array(GroupData)) },
      },
    },
    async ({ caller }) => {
      const scope = { accountId: caller.account.id, channelId: caller.channel.id };
      return ok((await listGroups(pool, scope)).map(groupRecord));
    },
  );

  app.post(
    '/contacts/groups',
    {
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'createGroup',
        tags: TAGS,
        summary: 'Make a contact group',
        body: CreateBody,
        response: { 200: answer(GroupData), ...errorsB([409]) },
      },
    },
    async ({ body, caller }) => {
      const scope = { accountId: caller.account.id, channelId: caller.channel.id };
      const { name, description = '' } = body;
      return ok(groupRecord(await createGroup(pool, { ...scope, name, description, at: clock.now() })));
    },
  );

  app.put(
    '/contacts/groups/:groupId',
    {
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'updateGroup',
        tags: TAGS,
        summary: 'Change the name or the description of a contact group',
        params: GroupPath,
        body: UpdateBody,
        response: { 200: answer(GroupData), ...errorsB([409]) },
      },
    },
    async ({ params, body, caller }) => {
      const scope = { accountId: caller.account.id, channelId: caller.channel.id };
      const { name, description } = body;
      const id = pathId(params.groupId, 'group');
      const group = await updateGroup(pool, scope, id, { name, description, at: clock.now() });
      if (!group) throw notFound('group');
      return ok(groupRecord(group));
    },
  );

  app.delete(
    '/contacts/groups/:groupId',
    {
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'deleteGroup',
        tags: TAGS,
        summary: 'Delete a contact group; its contacts stay',
        params: GroupPath,
        response: { 200: Done },
      },
    },
    async ({ params, caller }) => {
      const scope = { accountId: caller.account.id, channelId: caller.channel.id };
      if (!(await deleteGroup(pool, scope, pathId(params.groupId, 'group')))) throw notFound('group');
      return ok({ message: 'The group was deleted.' });
    },
  );

  app.post(
    '/contacts/groups/:groupId/add',
    {
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'addToGroup',
        tags: TAGS,
        summary: 'Add a contact to a group',
        params: GroupPath,
        body: MemberBody,
        response: { 200: Done },
      },
    },
    async ({ params, body, caller }) => {
      const groupId = pathId(params.groupId, 'group');
      const contactId = bodyId(body.contactId, 'contactId');
      const added = await addMember(pool, { channelId: caller.channel.id, groupId, contactId });
      return ok({ message: added ? 'The contact was added to the group.' : 'The contact is in the group already.' });
    },
  );

  app.post(
    '/contacts/groups/:groupId/remove',
    {
      config: { scope: 'contacts:write' },
      schema: {
        operationId: 'removeFromGroup',
        tags: TAGS,
        summary: 'Remove a contact from a group',
        params: GroupPath,
        body: MemberBody,
        response: { 200: Done },
      },
    },
    async ({ params, body, caller }) => {
      const groupId = pathId(params.groupId, 'group');
      const contactId = bodyId(body.contactId, 'contactId');
      const removed = await removeMember(pool, { channelId: caller.channel.id, groupId, contactId });
      return ok({ message: removed ? 'The contact was removed from the group.' : 'The contact is not in the group.' });
    },
  );
};
