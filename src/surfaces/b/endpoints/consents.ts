import { Type } from '@sinclair/typebox';
import { createConsent, listConsents, readPersonConsents } from '../../../features/consents/consents.js';
import type { Clock } from '../../../platform/clock.js';
import { parseTimestamp, TIMESTAMP_RULE } from '../../../platform/timestamps.js';
import { BodyId, OnePath, pathId } from '../../http/ids.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { ONE_OF_FIELDS, RULE } from '../../http/validation.js';
import {
  ConsentData,
  ConsentDecisionField,
  ConsentPurposeField,
  ConsentSourceField,
  EVIDENCE_FIELDS,
  PersonConsentData,
  RecordedConsentData,
  toConsentRecord,
  toPersonConsentRecord,
  toRecordedConsent,
} from '../../resources/people/consents.js';
import { readPerson, UserId } from '../../resources/people/people.js';
import { ok } from '../answers.js';
import { CONSENTS, type Endpoints } from '../endpoint.js';
import { listData, listQuery, readPage } from '../lists.js';

const PERSON_FIELDS = ['phone', 'userId', 'contactId'] as const;

const Phone = Type.String({
  maxLength: 30,
  description: 'A phone number with country code. The person need not be a contact.',
  examples: ['15005550111'],
});

const CreateBody = Type.Object(
  {
    phone: Type.Optional(Phone),
    userId: Type.Optional({ ...UserId, description: "Instead of `phone`: WhatsApp's ID for the person." }),
    contactId: Type.Optional({ ...BodyId, description: 'Instead of `phone`: a contact.' }),
    purpose: ConsentPurposeField,
    decision: ConsentDecisionField,
    source: Type.Optional(
      Type.Union([Type.Literal('api'), Type.Literal('form')], {
        default: 'api',
        description: '`form` if the person filled in a form.',
        [RULE]: 'must be api or form',
      }),
    ),
    ...EVIDENCE_FIELDS,
    decidedAt: Type.Optional(
      Type.String({
        description: 'When the person decided: ISO 8601 with a time zone. Default: now.',
        examples: ['2026-11-21T08:30:00Z'],
        [RULE]: TIMESTAMP_RULE,
      }),
    ),
  },
  {
    [ONE_OF_FIELDS]: [...PERSON_FIELDS],
    examples: [
      {
        ...{ phone: '15005550111', purpose: 'marketing', decision: 'granted', source: 'form' },
        ...{ wording: 'Send me offers by SMS, at most two a week.', wordingVersion: '2026-11' },
        ...{ ip: '203.0.113.7', url: 'https://shop.example/newsletter' },
      },
    ],
  },
);

const ListQuery = listQuery({
  phone: Type.Optional({ ...Phone, description: 'Only entries about this number.' }),
  userId: Type.Optional({ ...UserId, description: 'Only entries about this WhatsApp user.' }),
  contactId: Type.Optional({ ...BodyId, description: 'Only entries about this contact.' }),
  purpose: Type.Optional(ConsentPurposeField),
  decision: Type.Optional(ConsentDecisionField),
  source: Type.Optional(ConsentSourceField),
});

export type ConsentOptions = UseCaseOptions<typeof createConsent | typeof listConsents | typeof readPersonConsents> & {
  clock: Clock;
};

export const consentEndpoints: Endpoints<ConsentOptions> = async (app, options) => {
  const { clock } = options;

  app.post(
    '/consents',
    CONSENTS.write({
      operationId: 'createConsent',
      summary: 'Record that a person granted or withdrew consent',
      description:
        'Adds an entry to the consent ledger, which is never changed. A withdrawal also opts the person out: of marketing messages, or of ' +
        'all messages if the purpose is `transactional`. A grant never lifts an opt-out; `optOut` shows the opt-out that stays.',
      body: CreateBody,
      data: RecordedConsentData,
    }),
    async ({ body, caller }) => {
      const { phone, userId, contactId, purpose, decision, source = 'api', decidedAt } = body;
      const { name, wording, wordingVersion, ip, url } = body;
      const consent = {
        person: readPerson({ phone, userId, contactId }),
        ...{ purpose, isGranted: decision === 'granted', source },
        ...{ name, wording, wordingVersion, ip, url },
        ...(decidedAt !== undefined && { decidedAt: parseTimestamp(decidedAt, 'decidedAt') }),
      };
      const channel = { ...caller.channel, accountId: caller.account.id };
      return ok(toRecordedConsent(await createConsent(options, channel, consent, clock.now())));
    },
  );

  app.get(
    '/consents',
    CONSENTS.read({
      operationId: 'listConsents',
      summary: 'List the entries of the consent ledger, newest first',
      description: 'At most one of `phone`, `userId` and `contactId` may be set.',
      querystring: ListQuery,
      data: listData('consents', ConsentData),
    }),
    async ({ query, caller }) => {
      const { phone, userId, contactId, purpose, decision, source } = query;
      const hasPerson = phone !== undefined || userId !== undefined || contactId !== undefined;
      const filter = {
        ...(hasPerson && { person: readPerson({ phone, userId, contactId }) }),
        ...{ purpose, source, isGranted: decision && decision === 'granted' },
      };
      const page = readPage(query);
      const channel = { ...caller.channel, accountId: caller.account.id };
      const { consents, total } = await listConsents(options, channel, filter, page);
      return ok({ consents: consents.map(toConsentRecord), total, ...page });
    },
  );

  app.get(
    '/consents/contacts/:id',
    CONSENTS.read({
      operationId: 'getContactConsent',
      summary: 'Get the consent of a contact, by purpose',
      params: OnePath,
      data: Type.Array(PersonConsentData),
    }),
    async ({ params, caller }) => {
      const channel = { ...caller.channel, accountId: caller.account.id };
      const person = { contactId: pathId(params.id, 'contact') };
      return ok((await readPersonConsents(options, channel, person)).map(toPersonConsentRecord));
    },
  );
};
