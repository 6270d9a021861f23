import { Type } from '@sinclair/typebox';
import { PathId } from '../../http/ids.js';
import { NullableTimestamp, Timestamp } from '../../http/schemas/values.js';
import { TemplateRecord } from '../../resources/records/template-drafts.js';
import { ChannelPath } from './paths.js';
import { Version } from './version-schemas.js';

export const TemplatePath = Type.Object({ ...ChannelPath.properties, templateId: PathId });

export const TemplateEntry = Type.Object({
  ...TemplateRecord.properties,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  version: Version,
});

export const TemplatesData = Type.Object({
  templates: Type.Array(TemplateEntry, { description: 'All templates, newest first.' }),
  syncedAt: Type.Union(NullableTimestamp.anyOf, {
    description: 'When the templates were last synced from the carrier; null: never.',
  }),
});

export const SyncedData = Type.Object({
  added: Type.Integer(),
  updated: Type.Integer(),
  disabled: Type.Integer({ description: 'Templates that the carrier no longer has.' }),
});
