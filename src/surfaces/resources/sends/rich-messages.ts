import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import {
  INTERACTIVE_KINDS,
  type Interactive as InteractiveInput,
  MAX_ROWS,
  UNCHECKED_KINDS,
} from '../../../messages/compose/interactive.js';
import { RICH_TYPES, type RichType } from '../../../messages/compose/rich.js';
import { WHATSAPP_CAPTION_LIMIT, WHATSAPP_TEXT_LIMIT } from '../../../messages/compose/v2-plan.js';
import { RULE } from '../../http/validation.js';

/** Meta's limits in Unicode code points (Meta, "Messages API", one page per message type). */
const BODY = 1024;
const SHORT = 60;
const LABEL = 20;
const ROW_TITLE = 24;
/** For fields without a documented limit. */
const LONG = 4096;

function text(maxLength: number, description?: string) {
  const rule = `must be a text of 1 to ${maxLength} characters`;
  return Type.String({ minLength: 1, maxLength, [RULE]: rule, ...(description && { description }) });
}

const Address = Type.String({
  format: 'uri',
  maxLength: LONG,
  examples: ['https://example.com/picture.jpg'],
  [RULE]: `must be an http or https URL of at most ${LONG} characters`,
});

/** Unknown fields are passed to Meta, which may support them. */
const OPEN = { additionalProperties: true } as const;

const object = <T extends TProperties>(fields: T, rule = 'must be an object') =>
  Type.Object(fields, { ...OPEN, [RULE]: rule });

const list = <T extends TSchema>(item: T, maxItems: number, noun: string) =>
  Type.Array(item, { minItems: 1, maxItems, [RULE]: `must be a list of 1 to ${maxItems} ${noun}` });

const choice = <T extends string>(...values: T[]) =>
  Type.Unsafe<T>({
    type: 'string',
    enum: values,
    [RULE]: `must be ${values.join(', ').replace(/, (?=[^,]*$)/, ' or ')}`,
  });

const media = <T extends TProperties>(more: T) =>
  object({
    link: Type.Optional(Address),
    id: Type.Optional(text(LONG, "The carrier's ID of the file, instead of `link`.")),
    ...more,
  });

/** An empty string counts as absent, because some clients send every field. */
const optionalText = (maxLength: number) =>
  Type.String({ maxLength, [RULE]: `must be a text of at most ${maxLength} characters` });

const CAPTION = { caption: Type.Optional(optionalText(WHATSAPP_CAPTION_LIMIT)) };
const DOCUMENT = { ...CAPTION, filename: Type.Optional(optionalText(240)) };

const TextHeader = object({ type: choice('text'), text: Type.Optional(text(SHORT)) });
const Header = object({
  type: choice('text', 'image', 'video', 'document'),
  text: Type.Optional(text(SHORT)),
  image: Type.Optional(media({})),
  video: Type.Optional(media({})),
  document: Type.Optional(media({ filename: Type.Optional(optionalText(240)) })),
});

const body = (maxLength = BODY) => object({ text: text(maxLength) }, 'must be an object with text');
const FOOTER = { footer: Type.Optional(object({ text: text(SHORT) }, 'must be an object with text')) };
const AROUND = { header: Type.Optional(Header), body: body(), ...FOOTER };

const namedAction = <T extends string>(name: T) => ({ body: body(), action: object({ name: choice(name) }) });

const ROW = {
  id: text(200),
  title: text(ROW_TITLE),
  description: Type.Optional(text(72)),
};

/** Only the fields that we validate. */
const KINDS: Record<(typeof INTERACTIVE_KINDS)[number], TProperties> = {
  button: {
    ...AROUND,
    action: object({
      buttons: list(
        object({ type: choice('reply'), reply: object({ id: text(256), title: text(LABEL) }) }),
        3,
        'buttons',
      ),
    }),
  },
  list: {
    header: Type.Optional(TextHeader),
    body: body(WHATSAPP_TEXT_LIMIT),
    ...FOOTER,
    action: object({
      button: text(LABEL),
      sections: list(
        object({ title: Type.Optional(text(ROW_TITLE)), rows: list(object(ROW), MAX_ROWS, 'rows') }),
        10,
        'sections',
      ),
    }),
  },
  cta_url: {
    ...AROUND,
    action: object({ name: choice('cta_url'), parameters: object({ display_text: text(LABEL), url: Address }) }),
  },
  location_request_message: namedAction('send_location'),
  request_contact_info: namedAction('request_contact_info'),
  flow: {
    ...AROUND,
    action: object({
      name: choice('flow'),
      parameters: object({
        flow_message_version: choice('3'),
        flow_cta: text(30),
        flow_id: Type.Optional(text(LONG)),
        flow_name: Type.Optional(text(LONG)),
        flow_token: Type.Optional(text(LONG)),
        flow_action: Type.Optional(choice('navigate', 'data_exchange')),
        flow_action_payload: Type.Optional(object({})),
        mode: Type.Optional(choice('draft', 'published')),
      }),
    }),
  },
};

const UNCHECKED = { header: Type.Optional(Header), body: Type.Optional(body()), ...FOOTER, action: object({}) };

const Interactive = Type.Unsafe<InteractiveInput>({
  type: 'object',
  ...OPEN,
  description:
    'Reply buttons (`button`), a `list`, a button that opens a URL (`cta_url`), a request for the location or phone number, ' +
    'a `flow`, or a type that only Meta validates, such as products and orders. The choice arrives as an inbound message with its ID.',
  required: ['type', 'action'],
  properties: {
    type: choice(...INTERACTIVE_KINDS, ...UNCHECKED_KINDS),
    action: object({}),
  },
  allOf: [
    ...INTERACTIVE_KINDS.map((kind) => ifKind(kind, Type.Object(KINDS[kind], OPEN))),
    ...UNCHECKED_KINDS.map((kind) => ifKind(kind, Type.Object(UNCHECKED, OPEN))),
  ],
  [RULE]: 'must be an object with type and action',
});

function ifKind(kind: string, then: TObject) {
  return { if: { type: 'object', ...OPEN, required: ['type'], properties: { type: { const: kind } } }, then };
}

const MessageReference = text(512, 'The ID of an inbound or outbound message of the channel, ours or the carrier’s.');

const Contact = object({
  name: { ...object({ formatted_name: text(LONG) }), examples: [{ formatted_name: 'Jane Doe', first_name: 'Jane' }] },
  phones: Type.Optional(Type.Array(object({}))),
});

export const RICH_FIELDS = {
  text: Type.Optional(object({ body: text(WHATSAPP_TEXT_LIMIT), preview_url: Type.Optional(Type.Boolean()) })),
  image: Type.Optional(media(CAPTION)),
  video: Type.Optional(media(CAPTION)),
  document: Type.Optional(media(DOCUMENT)),
  audio: Type.Optional(media({})),
  sticker: Type.Optional(media({})),
  interactive: Type.Optional(Interactive),
  reaction: Type.Optional(
    object({
      message_id: MessageReference,
      emoji: Type.String({
        maxLength: 32,
        description: 'Empty to remove the reaction.',
        examples: ['👍'],
        [RULE]: 'must be one emoji',
      }),
    }),
  ),
  location: Type.Optional(
    object({
      latitude: Type.Number({
        examples: [51.5007],
        minimum: -90,
        maximum: 90,
        [RULE]: 'must be a number from -90 to 90',
      }),
      longitude: Type.Number({
        examples: [-0.1246],
        minimum: -180,
        maximum: 180,
        [RULE]: 'must be a number from -180 to 180',
      }),
      name: Type.Optional(text(LONG)),
      address: Type.Optional(text(LONG)),
    }),
  ),
  contacts: Type.Optional(list(Contact, 257, 'contact cards')),
  context: Type.Optional(object({ message_id: MessageReference }, 'must be an object with message_id')),
};

export const RichTypeSchema = Type.Unsafe<RichType>({
  ...choice(...RICH_TYPES),
  description: "The message type. The field of the same name holds the content, in the shape of Meta's Cloud API.",
});
