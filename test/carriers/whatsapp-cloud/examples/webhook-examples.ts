import { envelope } from '../../../support/carriers/cloud-api/webhooks.js';

type Json = Record<string, unknown>;

/** A webhook as Meta sends it, and what becomes of it. */
export interface WebhookExample {
  name: string;
  body: Json;
  /** A message of this type that a contact wrote, a report of this kind that is kept, or what else it does. */
  becomes: { inbound: string } | { kept: string } | 'something else';
}

export const ADA = '15005550161';
/** The number that Ada has after the system message. */
export const ADA_LATER = '15005550162';
const GRACE = 'US.13491208655302741918';
export const OWN = '15550783881';
const contacts = [{ profile: { name: 'Ada Lovelace' }, wa_id: ADA }];
const without = [{ profile: { name: 'Grace Hopper', username: 'grace' }, user_id: GRACE }];
const quoted = (more: Json = {}) => ({ context: { from: OWN, id: 'wamid.ours', ...more } });

let place = 0;
/** A webhook is a second later than the one before. */
const timestamp = () => String(1_780_000_000 + ++place);
const id = () => `wamid.example.${place}`;
function of(value: Json, field?: string): Json {
  const body = envelope(value, field === undefined ? {} : { field });
  // When Meta made it: of what is of an account alone, nothing else says so.
  for (const entry of body.entry as Json[]) entry.time = 1_780_000_000 + place;
  return body;
}
const written = (name: string, type: string, more: Json): WebhookExample => {
  const when = timestamp();
  const message = { ...more, from: ADA, id: id(), timestamp: when, type };
  return { name, body: of({ contacts, messages: [message] }), becomes: { inbound: type } };
};
const ofGroup = (name: string, field: string, group: Json): WebhookExample => ({
  name,
  body: of({ groups: [{ timestamp: timestamp(), group_id: 'Z3JvdXA6MQ==', request_id: '7A', ...group }] }, field),
  becomes: { kept: `field:${field}` },
});
const elsewhere = (name: string, value: Json, field?: string): WebhookExample => ({
  name,
  body: of(value, field),
  becomes: 'something else',
});
// Meta writes these numbers as numbers.
const participants = [15005550163, 15005550164].map((each) => ({ input: each, wa_id: each }));

/**
 * What the examples of webhooks in Meta's public description of the Cloud API hold (facebook/openapi,
 * business-messaging-api v23.0), with values of our own. By their names there.
 */
export const PUBLISHED: readonly WebhookExample[] = [
  written('Text Message', 'text', { text: { body: 'Does it come in blue?' } }),
  written('Text Message with Context (Product Inquiry)', 'text', {
    ...quoted({ referred_product: { catalog_id: '194836987003836', product_retailer_id: 'blue-1' } }),
    text: { body: 'Is this still to be had?' },
  }),
  written('Text Message from Click to WhatsApp Ad', 'text', {
    referral: {
      source_url: 'https://example.com/ad',
      source_id: '120226305854810727',
      source_type: 'ad',
      body: 'Lamps',
      headline: 'Write to us',
      media_type: 'image',
      image_url: 'https://example.com/lamp.jpg',
      ctwa_clid: 'Aff-n8',
      welcome_message: { text: 'Hello!' },
    },
    text: { body: 'May I know more?' },
  }),
  written('Reaction Message', 'reaction', { reaction: { message_id: 'wamid.ours', emoji: '\u{1f44d}' } }),
  written('Image Message', 'image', {
    image: { caption: 'The harbour', mime_type: 'image/jpeg', sha256: 'c2hhMjU2', id: '1003383421387257' },
  }),
  written('Location Message', 'location', {
    location: { address: '1 Pier', latitude: 53.54, longitude: 9.98, name: 'Coffee', url: 'https://example.com/' },
  }),
  written('Contact Sharing Message', 'contacts', {
    contacts: [
      {
        name: { first_name: 'Luc\u00eda', last_name: 'G\u00f3mez', formatted_name: 'Luc\u00eda G\u00f3mez' },
        org: { company: 'Engines' },
        phones: [{ phone: '+1 (500) 555-0165', wa_id: '15005550165', type: 'MOBILE' }],
      },
    ],
  }),
  written('Unsupported Message', 'unsupported', {
    errors: [{ code: 131051, title: 'Unknown', message: 'Unknown', error_data: { details: 'Not supported.' } }],
  }),
  written('Button Message', 'button', { ...quoted(), button: { payload: 'Unsubscribe', text: 'Unsubscribe' } }),
  written('Interactive List Reply Message', 'interactive', {
    ...quoted(),
    interactive: { type: 'list_reply', list_reply: { id: 'fast', title: 'Fast', description: 'A day or two' } },
  }),
  written('Interactive Button Reply Message', 'interactive', {
    ...quoted(),
    interactive: { type: 'button_reply', button_reply: { id: 'no', title: 'Leave it' } },
  }),
  written('Order Message', 'order', {
    order: {
      catalog_id: '194836987003836',
      text: '',
      product_items: [2, 1].map((quantity) => ({
        product_retailer_id: `blue-${quantity}`,
        quantity,
        item_price: 30,
        currency: 'USD',
      })),
    },
  }),
  elsewhere('System Message', {
    messages: [
      {
        from: ADA,
        id: 'wamid.moved',
        timestamp: timestamp(),
        system: { body: 'Ada changed her number', wa_id: ADA_LATER, type: 'user_changed_number' },
        type: 'system',
      },
    ],
  }),
  ofGroup('Group Create Message', 'group_lifecycle_update', {
    type: 'group_create',
    subject: 'Friends',
    description: 'Of the harbour',
    added_participants: participants,
  }),
  ofGroup('Group Settings Update', 'group_settings_update', {
    type: 'group_settings_update',
    profile_picture: { mime_type: 'image/jpeg', sha256: 'c2hhMjU2' },
  }),
  ofGroup('Group Remove Participants', 'group_participants_update', {
    type: 'group_create',
    removed_participants: participants,
  }),
];

/** Others, in the shapes of Meta's pages on webhooks: of people without numbers, of the app on the telephone, and of accounts. */
export const OF_PAGES: readonly WebhookExample[] = [
  {
    name: 'a message of somebody without a number',
    body: of({
      contacts: without,
      messages: [
        { from_user_id: GRACE, id: 'wamid.grace', timestamp: timestamp(), type: 'text', text: { body: 'Hello' } },
      ],
    }),
    becomes: { inbound: 'text' },
  },
  elsewhere('a status of a message that is not here', {
    contacts: without,
    statuses: [{ id: 'wamid.theirs', status: 'delivered', timestamp: timestamp(), recipient_user_id: GRACE }],
  }),
  elsewhere(
    'a message from the app on the telephone',
    {
      message_echoes: [
        {
          from: OWN,
          to: ADA_LATER,
          id: 'wamid.own',
          timestamp: timestamp(),
          type: 'text',
          text: { body: 'On my way' },
        },
      ],
    },
    'smb_message_echoes',
  ),
  {
    name: 'a message in a group',
    body: of({
      contacts,
      messages: [
        {
          ...{ from: ADA, group_id: 'Z3JvdXA6MQ==', id: 'wamid.group', timestamp: timestamp() },
          ...{ type: 'text', text: { body: 'STOP' } },
        },
      ],
    }),
    becomes: { kept: 'inbound:group' },
  },
  {
    name: 'a call that was missed',
    body: of(
      { contacts: without, calls: [{ id: 'wacid.1', from_user_id: GRACE, event: 'connect', timestamp: timestamp() }] },
      'calls',
    ),
    becomes: { inbound: 'call' },
  },
  elsewhere('a message that is taken back', {
    contacts,
    messages: [
      {
        from: ADA_LATER,
        id: 'wamid.revoke',
        timestamp: timestamp(),
        type: 'revoke',
        revoke: { original_message_id: 'wamid.example.5' },
      },
    ],
  }),
  elsewhere(
    'a person who wants no marketing',
    {
      contacts: without,
      user_preferences: [
        { user_id: GRACE, category: 'marketing_messages', value: 'stop', timestamp: Number(timestamp()) },
      ],
    },
    'user_preferences',
  ),
  {
    name: 'a template that is not here',
    body: of(
      { event: 'APPROVED', message_template_name: 'nowhere', message_template_language: 'en_US' },
      'message_template_status_update',
    ),
    becomes: { kept: 'field:message_template_status_update' },
  },
  elsewhere(
    'the quality of a number',
    { display_phone_number: OWN, event: 'FLAGGED', current_limit: 'TIER_1K' },
    'phone_number_quality_update',
  ),
];
