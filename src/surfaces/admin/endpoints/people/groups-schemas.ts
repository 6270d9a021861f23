import { Type } from '@sinclair/typebox';
import { nameSchema } from '../../../b/names.js';
import { ContactIds } from '../../../http/ids.js';
import { Id, Timestamp } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';
import { pageQuery } from '../../answers.js';

const Name = nameSchema(200, 'Customers');
const Description = Type.String({
  maxLength: 1000,
  examples: ['Everybody who has bought'],
  [RULE]: 'must be a text of at most 1000 characters',
});

export const GroupEntry = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String({ description: 'Empty while unset.' }),
  contactCount: Type.Integer(),
  createdAt: Timestamp,
});

export const GroupListQuery = pageQuery({
  search: Type.Optional(Type.String({ description: 'A part of the name, in any case.' })),
});

export const CreateGroupBody = Type.Object(
  { name: Name, description: Type.Optional(Description) },
  { examples: [{ name: 'Customers' }] },
);

export const UpdateGroupBody = Type.Object(
  { name: Type.Optional(Name), description: Type.Optional(Description) },
  { description: 'Fields to change.', examples: [{ name: 'Customers' }] },
);

export const MembersBody = Type.Object({ contactIds: ContactIds });

export const FoundBody = Type.Object({
  search: Type.Optional(
    Type.String({ description: 'As of the list of contacts.', examples: ['berlin'], [RULE]: 'must be a text' }),
  ),
  groupId: Type.Optional(
    Type.String({ description: 'Members of this group only.', [RULE]: 'must be the id of a group' }),
  ),
});

export const MembersData = Type.Object({
  changed: Type.Integer({ description: 'Contacts that are members now, or are none any more.' }),
  unchanged: Type.Integer({ description: 'Contacts for which nothing was to change.' }),
});
