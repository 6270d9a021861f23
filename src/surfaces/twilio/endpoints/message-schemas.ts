import { Type } from '@sinclair/typebox';
import { TWILIO_STATUSES, type TwilioStatus } from '../../../features/webhooks/twilio/statuses.js';
import { RULE } from '../../http/validation.js';

export const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, options = {}) =>
  Type.Union([schema, Type.Null()], options);
/** A parameter of a form. */
export const text = (description: string, example: string) =>
  Type.Optional(Type.String({ description, examples: [example], [RULE]: 'must be a text' }));

const DATE = 'RFC 2822, in UTC.';
const EXAMPLE_DATE = 'Tue, 24 Nov 2026 08:30:00 +0000';
/** 32 hexadecimal digits of an example. */
export const SID = '0192f0c17d3a7c2e9b1a2f6d1c0a4e55';

/** The parameters of a send. Others of Twilio's are taken and mean nothing here. */
export const CreateBody = Type.Object(
  {
    To: text('The recipient in E.164, with `whatsapp:` before it on WhatsApp.', '+15005550111'),
    From: text(
      'A Sender ID or a number, or `whatsapp:` and the number of a channel. Required without MessagingServiceSid.',
      '+15005550100',
    ),
    MessagingServiceSid: text('The channel that it leaves from: `MG` and its id without hyphens.', `MG${SID}`),
    Body: text('Text, or the caption of a file.', 'Hello'),
    MediaUrl: Type.Optional(
      Type.Array(Type.String(), {
        description: 'A file, on WhatsApp alone; one. What it is, the end of its name says.',
        examples: [['https://example.com/picture.jpg']],
        [RULE]: 'must be a list of URLs',
      }),
    ),
    ContentSid: text('A template: `HX` and its id without hyphens.', `HX${SID}`),
    ContentVariables: text("JSON: what fills the template's variables.", '{"1":"A-1001"}'),
    StatusCallback: text('Where each status is told, as a form.', 'https://example.com/status'),
    ValidityPeriod: text('Seconds in which it may be tried, from 1 to 36000.', '600'),
    ScheduleType: text('`fixed`, with SendAt.', 'fixed'),
    SendAt: text('ISO 8601 with a time zone, at most 30 days ahead.', '2026-12-01T08:00:00Z'),
  },
  { examples: [{ To: '+15005550111', From: '+15005550100', Body: 'Hello' }] },
);

export const UpdateBody = Type.Object(
  {
    Body: text('Nothing: that empties the text.', ''),
    Status: text('`canceled`.', 'canceled'),
  },
  { examples: [{ Status: 'canceled' }] },
);

/** A message, as the Message resource of Twilio's API has it. */
export const MessageResource = Type.Object({
  body: Type.String({ examples: ['Hello'] }),
  num_segments: Type.String({ examples: ['1'] }),
  direction: Type.Unsafe<'inbound' | 'outbound-api'>({ type: 'string', enum: ['inbound', 'outbound-api'] }),
  from: Type.String({ examples: ['+15005550100'] }),
  to: Type.String({ examples: ['+15005550111'] }),
  date_updated: Type.String({ description: `${DATE} When it came into its status.`, examples: [EXAMPLE_DATE] }),
  price: nullable(Type.String(), {
    description: 'What was charged, negative; null until it was sent, and once it is refunded.',
    examples: ['-0.00750'],
  }),
  error_message: nullable(Type.String()),
  uri: Type.String({ examples: [`/2010-04-01/Accounts/AC${SID}/Messages/SM${SID}.json`] }),
  account_sid: Type.String({ examples: [`AC${SID}`] }),
  num_media: Type.String({ examples: ['0'] }),
  status: Type.Unsafe<TwilioStatus | 'received'>({ type: 'string', enum: [...TWILIO_STATUSES, 'received'] }),
  messaging_service_sid: nullable(Type.String(), { description: 'The channel that it belongs to.' }),
  sid: Type.String({ description: '`SM`, or `MM` with a file, and the id of the message.', examples: [`SM${SID}`] }),
  date_sent: nullable(Type.String(), { description: `${DATE} Null until it was sent.` }),
  date_created: Type.String({ description: DATE, examples: [EXAMPLE_DATE] }),
  error_code: nullable(Type.Integer(), { description: "Twilio's code for why it failed.", examples: [30008] }),
  price_unit: Type.String({ examples: ['USD'] }),
  api_version: Type.Literal('2010-04-01'),
  subresource_uris: Type.Object({ media: Type.String() }),
});

/** A file that a contact sent, as the Media resource of Twilio's API has it. */
export const MediaResource = Type.Object({
  sid: Type.String({ description: '`ME` and the id of the file.', examples: [`ME${SID}`] }),
  account_sid: Type.String({ examples: [`AC${SID}`] }),
  parent_sid: Type.String({ description: 'Of its message.', examples: [`MM${SID}`] }),
  content_type: Type.String({ examples: ['image/jpeg'] }),
  date_created: Type.String({ description: DATE, examples: [EXAMPLE_DATE] }),
  date_updated: Type.String({ description: DATE, examples: [EXAMPLE_DATE] }),
  uri: Type.String({ examples: [`/2010-04-01/Accounts/AC${SID}/Messages/MM${SID}/Media/ME${SID}.json`] }),
});

const uri = (description: string) => nullable(Type.String(), { description });

/** What every list tells of its pages. */
const PAGES = {
  page: Type.Integer({ examples: [0] }),
  page_size: Type.Integer({ examples: [50] }),
  start: Type.Integer({ examples: [0] }),
  end: Type.Integer({ examples: [49] }),
  uri: Type.String({ description: 'Of this page, relative to the server.' }),
  first_page_uri: Type.String(),
  next_page_uri: uri('Relative to the server; null on the last page.'),
  previous_page_uri: uri('Null: pages are read forward.'),
};

export const MessageList = Type.Object({ messages: Type.Array(MessageResource), ...PAGES });
export const MediaList = Type.Object({ media_list: Type.Array(MediaResource), ...PAGES });
