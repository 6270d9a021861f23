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

/** Limits of Meta's, in Unicode code points (Meta, "Messages API", one page a kind). */
const BODY = 1024;
const SHORT = 60;
const LABEL = 20;
const ROW_TITLE = 24;
/** Meta says nothing of these; what is longer is no name, id or address. */
const LONG = 4096;

function text(most: number, description?: string) {
  const rule = `must be a text of 1 to ${most} characters`;
  return Type.String({ minLength: 1, maxLength: most, [RULE]: rule, ...(description && { description }) });
}

const Address = Type.String({
  format: 'uri',
  maxLength: LONG,
  examples: ['https://example.com/picture.jpg'],
  [RULE]: `must be an http or https URL of at most ${LONG} characters`,
});

/** What has further fields hands them on to Meta, which may know them. */
const OPEN = { additionalProperties: true } as const;

const object = <T extends TProperties>(fields: T, what = 'must be an object') =>
  Type.Object(fields, { ...OPEN, [RULE]: what });

const list = <T extends TSchema>(of: T, most: number, what: string) =>
  Type.Array(of, { minItems: 1, maxItems: most, [RULE]: `must be a list of 1 to ${most} ${what}` });

const word = <T extends string>(...words: T[]) =>
  Type.Unsafe<T>({
    type: 'string',
    enum: words,
    [RULE]: `must be ${words.join(', ').replace(/, (?=[^,]*$)/, ' or ')}`,
  });

/** A file, by its address or by the carrier's id of it. */
const media = <T extends TProperties>(more: T) =>
  object({
    link: Type.Optional(Address),
    id: Type.Optional(text(LONG, "The carrier's own id of the file, in place of `link`.")),
    ...more,
  });

/** A text that counts as absent where it is empty: programs write out all that they know. */
const maybe = (most: number) =>
  Type.String({ maxLength: most, [RULE]: `must be a text of at most ${most} characters` });

const CAPTION = { caption: Type.Optional(maybe(WHATSAPP_CAPTION_LIMIT)) };
const DOCUMENT = { ...CAPTION, filename: Type.Optional(maybe(240)) };

const TextHeader = object({ type: word('text'), text: Type.Optional(text(SHORT)) });
const Header = object({
  type: word('text', 'image', 'video', 'document'),
  text: Type.Optional(text(SHORT)),
  image: Type.Optional(media({})),
  video: Type.Optional(media({})),
  document: Type.Optional(media({ filename: Type.Optional(maybe(240)) })),
});

const body = (most = BODY) => object({ text: text(most) }, 'must be an object with text');
const FOOTER = { footer: Type.Optional(object({ text: text(SHORT) }, 'must be an object with text')) };
const AROUND = { header: Type.Optional(Header), body: body(), ...FOOTER };

/** A button whose name says all that it does. */
const named = <T extends string>(name: T) => ({ body: body(), action: object({ name: word(name) }) });

const ROW = {
  id: text(200),
  title: text(ROW_TITLE),
  description: Type.Optional(text(72)),
};

/** What each kind of interactive message must hold. */
const KINDS: Record<(typeof INTERACTIVE_KINDS)[number], TProperties> = {
  button: {
    ...AROUND,
    action: object({
      buttons: list(
        object({ type: word('reply'), reply: object({ id: text(256), title: text(LABEL) }) }),
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
    action: object({ name: word('cta_url'), parameters: object({ display_text: text(LABEL), url: Address }) }),
  },
  location_request_message: named('send_location'),
  request_contact_info: named('request_contact_info'),
  flow: {
    ...AROUND,
    action: object({
      name: word('flow'),
      parameters: object({
        flow_message_version: word('3'),
        flow_cta: text(30),
        flow_id: Type.Optional(text(LONG)),
        flow_name: Type.Optional(text(LONG)),
        flow_token: Type.Optional(text(LONG)),
        flow_action: Type.Optional(word('navigate', 'data_exchange')),
        flow_action_payload: Type.Optional(object({})),
        mode: Type.Optional(word('draft', 'published')),
      }),
    }),
  },
};

const UNCHECKED = { header: Type.Optional(Header), body: Type.Optional(body()), ...FOOTER, action: object({}) };

const Interactive = Type.Unsafe<InteractiveInput>({
  type: 'object',
  ...OPEN,
  description:
    'Reply buttons (`button`), a `list`, a button that opens a page (`cta_url`), a request for a location or for the phone ' +
    'number, a `flow`, or what only Meta can check: products, orders and the like. What the contact chooses comes back as an inbound message with its id.',
  required: ['type', 'action'],
  properties: {
    type: word(...INTERACTIVE_KINDS, ...UNCHECKED_KINDS),
    action: object({}),
  },
  allOf: [
    ...INTERACTIVE_KINDS.map((kind) => ofKind(kind, Type.Object(KINDS[kind], OPEN))),
    ...UNCHECKED_KINDS.map((kind) => ofKind(kind, Type.Object(UNCHECKED, OPEN))),
  ],
  [RULE]: 'must be an object with type and action',
});

function ofKind(kind: string, then: TObject) {
  return { if: { type: 'object', ...OPEN, required: ['type'], properties: { type: { const: kind } } }, then };
}

const MessageReference = text(512, "Our id of a message of the channel, of either direction, or the carrier's.");

const Contact = object({
  name: { ...object({ formatted_name: text(LONG) }), examples: [{ formatted_name: 'Jane Doe', first_name: 'Jane' }] },
  phones: Type.Optional(Type.Array(object({}))),
});

/** A WhatsApp message in Meta's shape, apart from `type`: an object under the name of its type. */
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
        description: 'Empty: the reaction is taken back.',
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

export const RichTypeWord = Type.Unsafe<RichType>({
  ...word(...RICH_TYPES),
  description: "What stands in the field of this name, in the shape of Meta's Cloud API.",
});
