import { Type } from '@sinclair/typebox';
import { TWILIO_STATUSES, type TwilioStatus } from '../../../features/webhooks/twilio/statuses.js';
import { RULE } from '../../http/validation.js';

export const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, options = {}) =>
  Type.Union([schema, Type.Null()], options);
export const text = (description: string, example: string) =>
  Type.Optional(Type.String({ description, examples: [example], [RULE]: 'must be a string' }));

const DATE = 'RFC 2822, in UTC.';
const EXAMPLE_DATE = 'Tue, 24 Nov 2026 08:30:00 +0000';
export const SID = '0192f0c17d3a7c2e9b1a2f6d1c0a4e55';

/** Twilio's other parameters are accepted and ignored. */
export const CreateBody = Type.Object(
  {
    To: text('The recipient in E.164 format; for WhatsApp, prefixed with `whatsapp:`.', '+15005550111'),
    From: text(
      'A sender ID or a number, or `whatsapp:` and the number of a channel. Required without MessagingServiceSid.',
      '+15005550100',
    ),
    MessagingServiceSid: text('SID of the sending channel: `MG` and its ID without hyphens.', `MG${SID}`),
    Body: text('Text, or the caption of a file.', 'Hello'),
    MediaUrl: Type.Optional(
      Type.Array(Type.String(), {
        description: 'URL of a file, only for WhatsApp; at most one. The file extension determines its type.',
        examples: [['https://example.com/picture.jpg']],
        [RULE]: 'must be a list of URLs',
      }),
    ),
    ContentSid: text('SID of a template: `HX` and its ID without hyphens.', `HX${SID}`),
    ContentVariables: text("JSON with the values of the template's variables.", '{"1":"A-1001"}'),
    StatusCallback: text('URL that receives each status as a form.', 'https://example.com/status'),
    ValidityPeriod: text('Seconds during which the message may be sent, from 1 to 36000.', '600'),
    ScheduleType: text('`fixed`, with SendAt.', 'fixed'),
    SendAt: text('ISO 8601 with a time zone, at most 30 days ahead.', '2026-12-01T08:00:00Z'),
  },
  { examples: [{ To: '+15005550111', From: '+15005550100', Body: 'Hello' }] },
);

export const UpdateBody = Type.Object(
  {
    Body: text('Must be empty; removes the text of the message.', ''),
    Status: text('`canceled`.', 'canceled'),
  },
  { examples: [{ Status: 'canceled' }] },
);

export const MessageResource = Type.Object({
  body: Type.String({ examples: ['Hello'] }),
  num_segments: Type.String({ examples: ['1'] }),
  direction: Type.Unsafe<'inbound' | 'outbound-api'>({ type: 'string', enum: ['inbound', 'outbound-api'] }),
  from: Type.String({ examples: ['+15005550100'] }),
  to: Type.String({ examples: ['+15005550111'] }),
  date_updated: Type.String({ description: `${DATE} When it reached its status.`, examples: [EXAMPLE_DATE] }),
  price: nullable(Type.String(), {
    description: 'The charged price as a negative number; null before it is sent and after a refund.',
    examples: ['-0.00750'],
  }),
  error_message: nullable(Type.String()),
  uri: Type.String({ examples: [`/2010-04-01/Accounts/AC${SID}/Messages/SM${SID}.json`] }),
  account_sid: Type.String({ examples: [`AC${SID}`] }),
  num_media: Type.String({ examples: ['0'] }),
  status: Type.Unsafe<TwilioStatus | 'received'>({ type: 'string', enum: [...TWILIO_STATUSES, 'received'] }),
  messaging_service_sid: nullable(Type.String(), { description: 'The channel of the message.' }),
  sid: Type.String({ description: '`SM`, or `MM` with a file, and the ID of the message.', examples: [`SM${SID}`] }),
  date_sent: nullable(Type.String(), { description: `${DATE} Null before it is sent.` }),
  date_created: Type.String({ description: DATE, examples: [EXAMPLE_DATE] }),
  error_code: nullable(Type.Integer(), { description: "Twilio's code for the failure.", examples: [30008] }),
  price_unit: Type.String({ examples: ['USD'] }),
  api_version: Type.Literal('2010-04-01'),
  subresource_uris: Type.Object({ media: Type.String() }),
});

export const MediaResource = Type.Object({
  sid: Type.String({ description: '`ME` and the ID of the file.', examples: [`ME${SID}`] }),
  account_sid: Type.String({ examples: [`AC${SID}`] }),
  parent_sid: Type.String({ description: 'SID of the message.', examples: [`MM${SID}`] }),
  content_type: Type.String({ examples: ['image/jpeg'] }),
  date_created: Type.String({ description: DATE, examples: [EXAMPLE_DATE] }),
  date_updated: Type.String({ description: DATE, examples: [EXAMPLE_DATE] }),
  uri: Type.String({ examples: [`/2010-04-01/Accounts/AC${SID}/Messages/MM${SID}/Media/ME${SID}.json`] }),
});

const uri = (description: string) => nullable(Type.String(), { description });

const PAGES = {
  page: Type.Integer({ examples: [0] }),
  page_size: Type.Integer({ examples: [50] }),
  start: Type.Integer({ examples: [0] }),
  end: Type.Integer({ examples: [49] }),
  uri: Type.String({ description: 'URI of this page, relative to the server.' }),
  first_page_uri: Type.String(),
  next_page_uri: uri('Relative to the server; null on the last page.'),
  previous_page_uri: uri('Always null: pages can only be read forward.'),
};

export const MessageList = Type.Object({ messages: Type.Array(MessageResource), ...PAGES });
export const MediaList = Type.Object({ media_list: Type.Array(MediaResource), ...PAGES });
