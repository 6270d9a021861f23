import { Type } from '@sinclair/typebox';
import { FIELDS_FILTER_RULE } from '../../../../features/contacts/custom/filter.js';
import { ContactIds } from '../../../http/ids.js';
import { RULE } from '../../../http/validation.js';
import { GroupData, GroupDescription, GroupName, MembersData } from '../../../resources/people/groups.js';
import { pageQuery } from '../../answers.js';

export { GroupData as GroupEntry, MembersData };

export const GroupListQuery = pageQuery({
  search: Type.Optional(Type.String({ description: 'Part of the name, in upper or lower case.' })),
});

export const CreateGroupBody = Type.Object(
  { name: GroupName, description: Type.Optional(GroupDescription) },
  { examples: [{ name: 'Customers' }] },
);

export const UpdateGroupBody = Type.Object(
  { name: Type.Optional(GroupName), description: Type.Optional(GroupDescription) },
  { description: 'The fields to change.', examples: [{ name: 'Customers' }] },
);

export const MembersBody = Type.Object({ contactIds: ContactIds });

export const FoundBody = Type.Object({
  search: Type.Optional(
    Type.String({
      description: 'Like the search in the list of contacts.',
      examples: ['berlin'],
      [RULE]: 'must be a text',
    }),
  ),
  groupId: Type.Optional(
    Type.String({ description: 'Only members of this group.', [RULE]: 'must be the id of a group' }),
  ),
  audienceId: Type.Optional(
    Type.String({ description: 'Only contacts in this audience.', [RULE]: 'must be the id of an audience' }),
  ),
  tags: Type.Optional(
    Type.String({
      description: 'Only contacts with all of these tags, separated by commas.',
      [RULE]: 'must be a text of tags separated by commas',
    }),
  ),
  fields: Type.Optional(
    Type.String({
      description: 'Only contacts with all of these field values, as a JSON object.',
      [RULE]: FIELDS_FILTER_RULE,
    }),
  ),
});
