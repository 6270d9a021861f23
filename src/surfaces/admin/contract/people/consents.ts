import { Type } from '@sinclair/typebox';
import { RULE } from '../../../http/validation.js';
import {
  ConsentData,
  ConsentDecisionField,
  ConsentPurposeField,
  EVIDENCE_FIELDS,
  PersonConsentData,
  RecordedConsentData,
} from '../../../resources/people/consents.js';
import type { Contract } from '../contract.js';
import { ChannelResourcePath } from '../paths.js';

const ConsentBody = Type.Object(
  {
    purpose: ConsentPurposeField,
    decision: ConsentDecisionField,
    ...EVIDENCE_FIELDS,
    decidedAt: Type.Optional(Type.String({ [RULE]: 'must be a time: ISO 8601 with a time zone' })),
  },
  { examples: [{ purpose: 'marketing', decision: 'granted', wording: 'On the phone' }] },
);

export const CONTACT_CONSENTS = {
  'GET /accounts/:accountId/channels/:channelId/contacts/:id/consents': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleGetContactConsents',
    summary: 'Show the consent of a contact and its newest entries in the ledger',
    params: ChannelResourcePath,
    data: Type.Object({
      current: Type.Array(PersonConsentData),
      entries: Type.Array(ConsentData, { description: 'At most 100, newest first.' }),
      total: Type.Integer(),
    }),
  },
  'POST /accounts/:accountId/channels/:channelId/contacts/:id/consents': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleRecordConsent',
    summary: 'Record that a contact granted or withdrew consent. A grant lifts an opt-out from messages of its purpose',
    params: ChannelResourcePath,
    body: ConsentBody,
    data: RecordedConsentData,
  },
} satisfies Contract;
