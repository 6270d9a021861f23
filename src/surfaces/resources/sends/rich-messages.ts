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

/** Limits from Meta's documentation in Unicode code points ("Messages API", one page per message type). */
const MAX_BODY = 1024;
const MAX_SHORT_TEXT = 60;
const MAX_LABEL = 20;
const MAX_ROW_TITLE = 24;
/** Limit for fields without a documented limit. */
const MAX_LONG_TEXT = 4096;

function textSchema(maxLength: number, description?: string) {
  const rule = `must be a string of 1 to ${maxLength} characters`;
  return Type.String({ minLength: 1, maxLength, [RULE]: rule, ...(description && { description }) });
}

const Address = Type.String({
  format: 'uri',
  maxLength: MAX_LONG_TEXT,
  examples: ['https://example.com/picture.jpg'],
  [RULE]: `must be an http or https URL of at most ${MAX_LONG_TEXT} characters`,
});

/** Unknown fields are passed to Meta, which may support them. */
const ALLOW_UNKNOWN = { additionalProperties: true } as const;

const objectSchema = <T extends TProperties>(fields: T, rule = 'must be an object') =>
  Type.Object(fields, { ...ALLOW_UNKNOWN, [RULE]: rule });

const listSchema = <T extends TSchema>(item: T, maxItems: number, noun: string) =>
  Type.Array(item, { minItems: 1, maxItems, [RULE]: `must be a list of 1 to ${maxItems} ${noun}` });

const choiceSchema = <T extends string>(...values: T[]) =>
  Type.Unsafe<T>({
    type: 'string',
    enum: values,
    [RULE]: `must be ${values.join(', ').replace(/, (?=[^,]*$)/, ' or ')}`,
  });

const mediaSchema = <T extends TProperties>(more: T) =>
  objectSchema({
    link: Type.Optional(Address),
    id: Type.Optional(textSchema(MAX_LONG_TEXT, "The carrier's ID for the file, instead of `link`.")),
    ...more,
  });

/** An empty string counts as absent, because some clients send every field. */
const optionalText = (maxLength: number) =>
  Type.String({ maxLength, [RULE]: `must be a string of at most ${maxLength} characters` });

const CAPTION = { caption: Type.Optional(optionalText(WHATSAPP_CAPTION_LIMIT)) };
const DOCUMENT = { ...CAPTION, filename: Type.Optional(optionalText(240)) };

const TextHeader = objectSchema({ type: choiceSchema('text'), text: Type.Optional(textSchema(MAX_SHORT_TEXT)) });
const Header = objectSchema({
  type: choiceSchema('text', 'image', 'video', 'document'),
  text: Type.Optional(textSchema(MAX_SHORT_TEXT)),
  image: Type.Optional(mediaSchema({})),
  video: Type.Optional(mediaSchema({})),
  document: Type.Optional(mediaSchema({ filename: Type.Optional(optionalText(240)) })),
});

const bodySchema = (maxLength = MAX_BODY) =>
  objectSchema({ text: textSchema(maxLength) }, 'must be an object with text');
const FOOTER = {
  footer: Type.Optional(objectSchema({ text: textSchema(MAX_SHORT_TEXT) }, 'must be an object with text')),
};
const HEADER_BODY_FOOTER = { header: Type.Optional(Header), body: bodySchema(), ...FOOTER };

const namedAction = <T extends string>(name: T) => ({
  body: bodySchema(),
  action: objectSchema({ name: choiceSchema(name) }),
});

const ROW_FIELDS = {
  id: textSchema(200),
  title: textSchema(MAX_ROW_TITLE),
  description: Type.Optional(textSchema(72)),
};

/** The schemas cover only the fields that Heliograph validates, because Meta validates the rest. */
const FIELDS_BY_KIND: Record<(typeof INTERACTIVE_KINDS)[number], TProperties> = {
  button: {
    ...HEADER_BODY_FOOTER,
    action: objectSchema({
      buttons: listSchema(
        objectSchema({
          type: choiceSchema('reply'),
          reply: objectSchema({ id: textSchema(256), title: textSchema(MAX_LABEL) }),
        }),
        3,
        'buttons',
      ),
    }),
  },
  list: {
    header: Type.Optional(TextHeader),
    body: bodySchema(WHATSAPP_TEXT_LIMIT),
    ...FOOTER,
    action: objectSchema({
      button: textSchema(MAX_LABEL),
      sections: listSchema(
        objectSchema({
          title: Type.Optional(textSchema(MAX_ROW_TITLE)),
          rows: listSchema(objectSchema(ROW_FIELDS), MAX_ROWS, 'rows'),
        }),
        10,
        'sections',
      ),
    }),
  },
  cta_url: {
    ...HEADER_BODY_FOOTER,
    action: objectSchema({
      name: choiceSchema('cta_url'),
      parameters: objectSchema({ display_text: textSchema(MAX_LABEL), url: Address }),
    }),
  },
  location_request_message: namedAction('send_location'),
  request_contact_info: namedAction('request_contact_info'),
  flow: {
    ...HEADER_BODY_FOOTER,
    action: objectSchema({
      name: choiceSchema('flow'),
      parameters: objectSchema({
        flow_message_version: choiceSchema('3'),
        flow_cta: textSchema(30),
        flow_id: Type.Optional(textSchema(MAX_LONG_TEXT)),
        flow_name: Type.Optional(textSchema(MAX_LONG_TEXT)),
        flow_token: Type.Optional(textSchema(MAX_LONG_TEXT)),
        flow_action: Type.Optional(choiceSchema('navigate', 'data_exchange')),
        flow_action_payload: Type.Optional(objectSchema({})),
        mode: Type.Optional(choiceSchema('draft', 'published')),
      }),
    }),
  },
};

const UNCHECKED_FIELDS = {
  header: Type.Optional(Header),
  body: Type.Optional(bodySchema()),
  ...FOOTER,
  action: objectSchema({}),
};

const Interactive = Type.Unsafe<InteractiveInput>({
  type: 'object',
  ...ALLOW_UNKNOWN,
  description:
    'Reply buttons (`button`), a `list`, a button that opens a URL (`cta_url`), a request for the location or phone number, ' +
    'a `flow`, or a type that only Meta validates, such as products and orders. The choice arrives as an inbound message with the ID of the button or row.',
  required: ['type', 'action'],
  properties: {
    type: choiceSchema(...INTERACTIVE_KINDS, ...UNCHECKED_KINDS),
    action: objectSchema({}),
  },
  allOf: [
    ...INTERACTIVE_KINDS.map((kind) => ifKind(kind, Type.Object(FIELDS_BY_KIND[kind], ALLOW_UNKNOWN))),
    ...UNCHECKED_KINDS.map((kind) => ifKind(kind, Type.Object(UNCHECKED_FIELDS, ALLOW_UNKNOWN))),
  ],
  [RULE]: 'must be an object with type and action',
});

function ifKind(kind: string, then: TObject) {
  return { if: { type: 'object', ...ALLOW_UNKNOWN, required: ['type'], properties: { type: { const: kind } } }, then };
}

const MessageReference = textSchema(
  512,
  'The ID of an inbound or outbound message of the channel: Heliograph’s or the carrier’s.',
);

const Contact = objectSchema({
  name: {
    ...objectSchema({ formatted_name: textSchema(MAX_LONG_TEXT) }),
    examples: [{ formatted_name: 'Jane Doe', first_name: 'Jane' }],
  },
  phones: Type.Optional(Type.Array(objectSchema({}))),
});

export const RICH_FIELDS = {
  text: Type.Optional(
    objectSchema({ body: textSchema(WHATSAPP_TEXT_LIMIT), preview_url: Type.Optional(Type.Boolean()) }),
  ),
  image: Type.Optional(mediaSchema(CAPTION)),
  video: Type.Optional(mediaSchema(CAPTION)),
  document: Type.Optional(mediaSchema(DOCUMENT)),
  audio: Type.Optional(mediaSchema({})),
  sticker: Type.Optional(mediaSchema({})),
  interactive: Type.Optional(Interactive),
  reaction: Type.Optional(
    objectSchema({
      message_id: MessageReference,
      emoji: Type.String({
        maxLength: 32,
        description: 'An empty string removes the reaction.',
        examples: ['👍'],
        [RULE]: 'must be one emoji',
      }),
    }),
  ),
  location: Type.Optional(
    objectSchema({
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
      name: Type.Optional(textSchema(MAX_LONG_TEXT)),
      address: Type.Optional(textSchema(MAX_LONG_TEXT)),
    }),
  ),
  contacts: Type.Optional(listSchema(Contact, 257, 'contact cards')),
  context: Type.Optional(objectSchema({ message_id: MessageReference }, 'must be an object with message_id')),
};

export const RichTypeSchema = Type.Unsafe<RichType>({
  ...choiceSchema(...RICH_TYPES),
  description: "The message type. The field of the same name holds the content, in the shape of Meta's Cloud API.",
});
