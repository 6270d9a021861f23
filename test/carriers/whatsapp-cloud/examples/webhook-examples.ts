import { buildEnvelope } from '../../../support/carriers/cloud-api/webhooks.js';

type Json = Record<string, unknown>;

export interface WebhookExample {
  name: string;
  body: Json;
  becomes: { inbound: string } | { kept: string } | 'something else';
}

export const ADA = '15005550161';
export const ADA_LATER = '15005550162';
const GRACE = 'US.13491208655302741918';
export const OWN_NUMBER = '15550783881';
const contacts = [{ profile: { name: 'Ada Lovelace' }, wa_id: ADA }];
const contactsWithoutNumber = [{ profile: { name: 'Grace Hopper', username: 'grace' }, user_id: GRACE }];
const buildContext = (overrides: Json = {}) => ({ context: { from: OWN_NUMBER, id: 'wamid.ours', ...overrides } });

let exampleCount = 0;
/** Returns a Unix time that is one second later than the one before. */
const nextTimestamp = () => String(1_780_000_000 + ++exampleCount);
const exampleId = () => `wamid.example.${exampleCount}`;
function buildWebhook(value: Json, field?: string): Json {
  const body = buildEnvelope(value, field === undefined ? {} : { field });
  // Reports about an account have no timestamp except the time of their entry.
  for (const entry of body.entry as Json[]) entry.time = 1_780_000_000 + exampleCount;
  return body;
}
const createInboundExample = (name: string, type: string, overrides: Json): WebhookExample => {
  const sentAt = nextTimestamp();
  const message = { ...overrides, from: ADA, id: exampleId(), timestamp: sentAt, type };
  return { name, body: buildWebhook({ contacts, messages: [message] }), becomes: { inbound: type } };
};
const createGroupExample = (name: string, field: string, group: Json): WebhookExample => ({
  name,
  body: buildWebhook(
    { groups: [{ timestamp: nextTimestamp(), group_id: 'Z3JvdXA6MQ==', request_id: '7A', ...group }] },
    field,
  ),
  becomes: { kept: `field:${field}` },
});
const createExample = (name: string, value: Json, field?: string): WebhookExample => ({
  name,
  body: buildWebhook(value, field),
  becomes: 'something else',
});
// Meta sends the phone numbers of group participants as JSON numbers.
const participants = [15005550163, 15005550164].map((number) => ({ input: number, wa_id: number }));

/**
 * Examples from Meta's public description of the Cloud API (facebook/openapi, business-messaging-api v23.0), with different
 * values.
 */
export const PUBLISHED: readonly WebhookExample[] = [
  createInboundExample('Text Message', 'text', { text: { body: 'Does it come in blue?' } }),
  createInboundExample('Text Message with Context (Product Inquiry)', 'text', {
    ...buildContext({ referred_product: { catalog_id: '194836987003836', product_retailer_id: 'blue-1' } }),
    text: { body: 'Is this still to be had?' },
  }),
  createInboundExample('Text Message from Click to WhatsApp Ad', 'text', {
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
  createInboundExample('Reaction Message', 'reaction', { reaction: { message_id: 'wamid.ours', emoji: '\u{1f44d}' } }),
  createInboundExample('Image Message', 'image', {
    image: { caption: 'The harbour', mime_type: 'image/jpeg', sha256: 'c2hhMjU2', id: '1003383421387257' },
  }),
  createInboundExample('Location Message', 'location', {
    location: { address: '1 Pier', latitude: 53.54, longitude: 9.98, name: 'Coffee', url: 'https://example.com/' },
  }),
  createInboundExample('Contact Sharing Message', 'contacts', {
    contacts: [
      {
        name: { first_name: 'Luc\u00eda', last_name: 'G\u00f3mez', formatted_name: 'Luc\u00eda G\u00f3mez' },
        org: { company: 'Engines' },
        phones: [{ phone: '+1 (500) 555-0165', wa_id: '15005550165', type: 'MOBILE' }],
      },
    ],
  }),
  createInboundExample('Unsupported Message', 'unsupported', {
    errors: [{ code: 131051, title: 'Unknown', message: 'Unknown', error_data: { details: 'Not supported.' } }],
  }),
  createInboundExample('Button Message', 'button', {
    ...buildContext(),
    button: { payload: 'Unsubscribe', text: 'Unsubscribe' },
  }),
  createInboundExample('Interactive List Reply Message', 'interactive', {
    ...buildContext(),
    interactive: { type: 'list_reply', list_reply: { id: 'fast', title: 'Fast', description: 'A day or two' } },
  }),
  createInboundExample('Interactive Button Reply Message', 'interactive', {
    ...buildContext(),
    interactive: { type: 'button_reply', button_reply: { id: 'no', title: 'Leave it' } },
  }),
  createInboundExample('Order Message', 'order', {
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
  createExample('System Message', {
    messages: [
      {
        from: ADA,
        id: 'wamid.moved',
        timestamp: nextTimestamp(),
        system: { body: 'Ada changed her number', wa_id: ADA_LATER, type: 'user_changed_number' },
        type: 'system',
      },
    ],
  }),
  createGroupExample('Group Create Message', 'group_lifecycle_update', {
    type: 'group_create',
    subject: 'Friends',
    description: 'Of the harbour',
    added_participants: participants,
  }),
  createGroupExample('Group Settings Update', 'group_settings_update', {
    type: 'group_settings_update',
    profile_picture: { mime_type: 'image/jpeg', sha256: 'c2hhMjU2' },
  }),
  createGroupExample('Group Remove Participants', 'group_participants_update', {
    type: 'group_create',
    removed_participants: participants,
  }),
];

/** Examples based on Meta's documentation about people without numbers, the WhatsApp Business app, and accounts. */
export const FROM_DOCUMENTATION: readonly WebhookExample[] = [
  {
    name: 'a message of somebody without a number',
    body: buildWebhook({
      contacts: contactsWithoutNumber,
      messages: [
        { from_user_id: GRACE, id: 'wamid.grace', timestamp: nextTimestamp(), type: 'text', text: { body: 'Hello' } },
      ],
    }),
    becomes: { inbound: 'text' },
  },
  createExample('a status of a message that is not here', {
    contacts: contactsWithoutNumber,
    statuses: [{ id: 'wamid.theirs', status: 'delivered', timestamp: nextTimestamp(), recipient_user_id: GRACE }],
  }),
  createExample(
    'a message from the WhatsApp Business app',
    {
      message_echoes: [
        {
          from: OWN_NUMBER,
          to: ADA_LATER,
          id: 'wamid.own',
          timestamp: nextTimestamp(),
          type: 'text',
          text: { body: 'On my way' },
        },
      ],
    },
    'smb_message_echoes',
  ),
  {
    name: 'a message in a group',
    body: buildWebhook({
      contacts,
      messages: [
        {
          ...{ from: ADA, group_id: 'Z3JvdXA6MQ==', id: 'wamid.group', timestamp: nextTimestamp() },
          ...{ type: 'text', text: { body: 'STOP' } },
        },
      ],
    }),
    becomes: { kept: 'inbound:group' },
  },
  {
    name: 'a call that was missed',
    body: buildWebhook(
      {
        contacts: contactsWithoutNumber,
        calls: [{ id: 'wacid.1', from_user_id: GRACE, event: 'connect', timestamp: nextTimestamp() }],
      },
      'calls',
    ),
    becomes: { inbound: 'call' },
  },
  createExample('a message that is taken back', {
    contacts,
    messages: [
      {
        from: ADA_LATER,
        id: 'wamid.revoke',
        timestamp: nextTimestamp(),
        type: 'revoke',
        revoke: { original_message_id: 'wamid.example.5' },
      },
    ],
  }),
  createExample(
    'a person who stopped marketing messages',
    {
      contacts: contactsWithoutNumber,
      user_preferences: [
        { user_id: GRACE, category: 'marketing_messages', value: 'stop', timestamp: Number(nextTimestamp()) },
      ],
    },
    'user_preferences',
  ),
  {
    name: 'a template that is not here',
    body: buildWebhook(
      { event: 'APPROVED', message_template_name: 'nowhere', message_template_language: 'en_US' },
      'message_template_status_update',
    ),
    becomes: { kept: 'field:message_template_status_update' },
  },
  createExample(
    'the quality of a number',
    { display_phone_number: OWN_NUMBER, event: 'FLAGGED', current_limit: 'TIER_1K' },
    'phone_number_quality_update',
  ),
];
