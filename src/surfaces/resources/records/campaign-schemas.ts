import { Type } from '@sinclair/typebox';
import { CAMPAIGN_STATES, type CampaignState } from '../../../features/campaigns/campaigns.js';
import { MAX_MEMBER_VARIABLES } from '../../../features/campaigns/message/placeholder-check.js';
import { MAX_OPT_OUT_LINE } from '../../../features/campaigns/message/text-message.js';
import { MAX_LISTED, MAX_SOURCES } from '../../../features/campaigns/recipients/sources.js';
import { DOCUMENTED_PLACEHOLDERS } from '../../../features/placeholders/placeholders.js';
import { MESSAGE_STATUSES, type MessageStatus } from '../../../messages/message-status.js';
import { TIMESTAMP_RULE } from '../../../platform/timestamps.js';
import { BodyId } from '../../http/ids.js';
import { Id, NullableText, NullableTimestamp, Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';
import { nameSchema } from '../names.js';
import { NullablePhone, UserId, WHATSAPP_PERSON } from '../people/people.js';
import { LanguageCode, TemplateComponents, TemplateName } from './templates.js';
import { Variables } from './variables.js';
import { FurtherVariants, NullableVariantName, VARIANT_FIELDS, VariantTestBody } from './variant-schemas.js';

export const MemberVariables = Type.Object(
  {
    phone: Type.Optional(
      Type.String({
        pattern: '^\\d{1,15}$',
        description: "The contact's number: digits with country code. Required unless userId or contactId is sent.",
        examples: ['15005550111'],
        [RULE]: 'must be a phone number with country code, digits only',
      }),
    ),
    userId: Type.Optional({ ...UserId, description: "Instead of phone: WhatsApp's ID for the person." }),
    contactId: Type.Optional({ ...BodyId, description: 'Instead of phone: the contact.' }),
    variables: Variables,
  },
  { [RULE]: 'must be an object with phone, userId or contactId, and variables' },
);

const ListedNumber = Type.String({
  pattern: '^\\d{1,15}$',
  examples: ['15005550111'],
  [RULE]: 'must be a phone number with country code, digits only',
});

const sourceIds = (description: string) =>
  Type.Array(BodyId, {
    maxItems: MAX_SOURCES,
    description,
    [RULE]: `must be an array of at most ${MAX_SOURCES} UUIDs`,
  });

const PLACEHOLDERS = `${DOCUMENTED_PLACEHOLDERS} and \`{{variables.<name>}}\``;

const Name = nameSchema(255, 'Spring sale');

export const CampaignBody = Type.Object(
  {
    name: Name,
    templateName: Type.Optional({
      ...TemplateName,
      description: 'Required on WhatsApp channels: an approved template.',
    }),
    language: Type.Optional({ ...LanguageCode, description: 'Required on WhatsApp channels.' }),
    text: Type.Optional(
      Type.String({
        description: `Required on SMS channels: the text, with placeholders filled in for each member: ${PLACEHOLDERS}.`,
        examples: ['Hello {{contact.firstName|there}}, our spring sale starts today.'],
        [RULE]: 'must be a text',
      }),
    ),
    optOutLine: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description:
          'SMS only: a line appended to the first message to a contact. Default: the setting of the account. Null: no line.',
        examples: ['Reply STOP to opt out.'],
        [RULE]: `must be null, or a text of 1 to ${MAX_OPT_OUT_LINE} characters`,
      }),
    ),
    shortenLinks: Type.Optional(
      Type.Boolean({
        description:
          'Whether each http and https URL is replaced by a short link, so that clicks are counted. Default: the setting of the account, which is off at first.',
        [RULE]: 'must be true or false',
      }),
    ),
    groupId: Type.Optional({
      ...BodyId,
      description:
        'The group whose members get the message. Required unless groupIds, audienceIds or recipients is sent.',
    }),
    groupIds: Type.Optional(sourceIds('Further groups.')),
    audienceIds: Type.Optional(sourceIds('Audiences. They are evaluated once, at the start of the campaign.')),
    recipients: Type.Optional(
      Type.Array(ListedNumber, {
        maxItems: MAX_LISTED,
        description:
          'Numbers that get the message. Numbers that are not contacts become contacts of the channel at once. Someone who is named in several ways gets one message.',
        [RULE]: `must be an array of at most ${MAX_LISTED} phone numbers`,
      }),
    ),
    components: Type.Optional({
      ...TemplateComponents,
      description: `Texts may contain placeholders, filled in for each member: ${PLACEHOLDERS}. \`{{contact.name|there}}\` uses the word "there" if the contact has no name.`,
    }),
    variables: Type.Optional({
      ...Variables,
      description: 'Values for `{{variables.<name>}}`. A member’s own values in memberVariables take precedence.',
    }),
    memberVariables: Type.Optional(
      Type.Array(MemberVariables, {
        maxItems: MAX_MEMBER_VARIABLES,
        description:
          'Values for `{{variables.<name>}}` of individual members, identified by phone number, user ID or contact ID.',
        [RULE]: `must be an array of at most ${MAX_MEMBER_VARIABLES} objects`,
      }),
    ),
    variants: Type.Optional(FurtherVariants),
    test: Type.Optional(VariantTestBody),
    scheduledAt: Type.Optional(
      Type.String({
        description:
          'Start time: ISO 8601 with a time zone. The campaign starts at once if it is absent or in the past.',
        examples: ['2026-12-01T08:00:00.000Z'],
        [RULE]: TIMESTAMP_RULE,
      }),
    ),
  },
  {
    examples: [
      {
        name: 'Spring sale',
        templateName: 'hello_world',
        language: 'en_US',
        groupId: '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55',
        scheduledAt: '2026-12-01T08:00:00.000Z',
      },
    ],
  },
);

export const Campaign = Type.Object({
  id: Id,
  name: Type.String(),
  status: Type.Unsafe<CampaignState>({ type: 'string', enum: [...CAMPAIGN_STATES], examples: ['completed'] }),
  templateName: Type.Union([Type.String(), Type.Null()], { description: 'Null on SMS channels.' }),
  language: Type.Union([Type.String(), Type.Null()], { description: 'Null on SMS channels.' }),
  text: Type.Union([Type.String(), Type.Null()], { description: 'Null on WhatsApp channels.' }),
  optOutLine: Type.Union([Type.String(), Type.Null()], {
    description: 'Appended to the first message to a contact.',
  }),
  shortenLinks: Type.Boolean({ description: 'Whether URLs are replaced by short links.' }),
  groupId: Type.Union([Id, Type.Null()], {
    description: 'Null if the campaign has several groups, an audience or a list of numbers.',
  }),
  groupIds: Type.Array(Id),
  audienceIds: Type.Array(Id),
  listedCount: Type.Integer({ description: 'Numbers in `recipients`.' }),
  messageCount: Type.Integer({ description: 'Members whose messages have been created.' }),
  skippedCount: Type.Integer({
    description:
      'Members who get no message because a template parameter or the text would be empty. They are not charged.',
  }),
  refusedCount: Type.Integer({
    description: "Members who get no message because the account's spending guard refuses it. They are not charged.",
  }),
  cappedCount: Type.Integer({
    description:
      "Members who get no message because they have reached the account's frequency cap. They are not charged.",
  }),
  counts: Type.Object(Object.fromEntries(MESSAGE_STATUSES.map((status) => [status, Type.Integer()])), {
    description: 'Messages by status. In a list, counts may be out of date by up to 1 % of the age of the campaign.',
  }),
  ...VARIANT_FIELDS,
  errorMessage: Type.Union([Type.String(), Type.Null()], {
    description: 'Why the campaign `failed`, or why the server paused it.',
  }),
  scheduledAt: NullableTimestamp,
  startedAt: NullableTimestamp,
  pausedAt: NullableTimestamp,
  completedAt: NullableTimestamp,
  createdAt: Timestamp,
});

export const Recipient = Type.Object({
  id: Type.String({ ...Id, description: 'ID of the message.' }),
  contactId: Type.Union([Id, Type.Null()], { description: 'Null after the contact was deleted.' }),
  phone: NullablePhone,
  ...WHATSAPP_PERSON,
  status: Type.Unsafe<MessageStatus>({ type: 'string', enum: [...MESSAGE_STATUSES], examples: ['delivered'] }),
  variant: NullableVariantName,
  whatsappMessageId: NullableText,
  errorCode: NullableText,
  errorMessage: NullableText,
  refunded: Type.Boolean(),
  createdAt: Timestamp,
  sentAt: NullableTimestamp,
  deliveredAt: NullableTimestamp,
  readAt: NullableTimestamp,
  endedAt: NullableTimestamp,
});
