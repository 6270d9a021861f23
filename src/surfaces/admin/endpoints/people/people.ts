import type { SliceOptions } from '../../../../features/contacts/import/slices.js';
import type { Endpoints } from '../../endpoint.js';
import { type AudienceEndpointOptions, audienceEndpoints } from './audiences.js';
import { type BulkTagOptions, bulkTagEndpoints } from './bulk-tag.js';
import { type ConsentEndpointOptions, consentEndpoints } from './consents.js';
import { type ContactFieldEndpointOptions, contactFieldEndpoints } from './contact-fields.js';
import { type ContactEndpointOptions, contactEndpoints } from './contacts.js';
import { type GroupEndpointOptions, groupEndpoints } from './groups.js';
import { importEndpoints } from './imports.js';
import { type KeywordRepliesOptions, keywordReplyEndpoints } from './keyword-replies.js';
import { type OptOutEndpointOptions, optOutEndpoints } from './opt-outs.js';
import { type PersonExportEndpointOptions, personExportEndpoints } from './person-export.js';

export type PeopleOptions = ContactEndpointOptions &
  AudienceEndpointOptions &
  BulkTagOptions &
  ConsentEndpointOptions &
  ContactFieldEndpointOptions &
  GroupEndpointOptions &
  KeywordRepliesOptions &
  OptOutEndpointOptions &
  PersonExportEndpointOptions &
  SliceOptions;

const RESOURCES: readonly Endpoints<PeopleOptions>[] = [
  contactEndpoints,
  audienceEndpoints,
  consentEndpoints,
  contactFieldEndpoints,
  bulkTagEndpoints,
  groupEndpoints,
  importEndpoints,
  keywordReplyEndpoints,
  optOutEndpoints,
  personExportEndpoints,
];

export const peopleEndpoints: Endpoints<PeopleOptions> = async (app, options) => {
  for (const resource of RESOURCES) app.register(resource, options);
};
