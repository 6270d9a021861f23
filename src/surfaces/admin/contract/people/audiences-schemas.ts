import { Type } from '@sinclair/typebox';
import {
  AudienceData,
  CreateAudienceBody,
  PreviewBody,
  PreviewCounts,
  UpdateAudienceBody,
} from '../../../resources/people/audiences.js';
import { pageQuery } from '../../answers.js';
import { ContactEntry } from './contacts-schemas.js';

export { AudienceData as AudienceEntry, CreateAudienceBody, PreviewBody, UpdateAudienceBody };

export const AudienceListQuery = pageQuery({
  search: Type.Optional(Type.String({ description: 'Part of the name, in upper or lower case.' })),
});

export const PreviewData = Type.Object({
  ...PreviewCounts,
  contacts: Type.Array(ContactEntry, { description: 'At most ten of these contacts.' }),
});
