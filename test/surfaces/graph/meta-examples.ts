/**
 * Examples from Meta's public description of the Cloud API (facebook/openapi, business-messaging-api v23.0), named as there
 * without `Send`. The values are our own.
 */
type Json = Record<string, unknown>;

const link = 'https://example.com/a';
const id = '1013859600285441';

const card: Json = {
  addresses: [
    {
      city: 'Menlo Park',
      country: 'United States',
      country_code: 'us',
      state: 'CA',
      street: '1',
      type: 'HOME',
      zip: '9',
    },
    {
      city: 'Menlo Park',
      country: 'United States',
      country_code: 'us',
      state: 'CA',
      street: '2',
      type: 'WORK',
      zip: '9',
    },
  ],
  birthday: '2012-08-18',
  emails: [
    { email: 'ada@example.com', type: 'WORK' },
    { email: 'home@example.com', type: 'HOME' },
  ],
  name: {
    first_name: 'Ada',
    formatted_name: 'Ada Lovelace',
    last_name: 'Lovelace',
    middle_name: 'A.',
    prefix: 'Dr',
    suffix: 'Jr',
  },
  org: { company: 'Engines', department: 'Design', title: 'Manager' },
  phones: [
    { phone: '+1 (500) 555-0111', type: 'HOME' },
    { phone: '+1 (500) 555-0112', type: 'WORK', wa_id: '15005550112' },
  ],
  urls: [
    { type: 'WORK', url: 'https://example.com' },
    { type: 'HOME', url: 'https://example.com/home' },
  ],
};

const interactiveMessage = (object: Json): Json => ({ type: 'interactive', interactive: object });
const texts = { header: { type: 'text', text: 'Header' }, body: { text: 'Body' }, footer: { text: 'Footer' } };

const flow = (flowReference: Json, mode: Json): Json =>
  interactiveMessage({
    ...texts,
    type: 'flow',
    action: {
      name: 'flow',
      parameters: {
        flow_action: 'navigate',
        flow_action_payload: { data: { key: 'value' }, screen: 'START' },
        flow_cta: 'Open',
        flow_message_version: '3',
        flow_token: 'token',
        ...flowReference,
        ...mode,
      },
    },
  });

const rows = (section: number) =>
  [1, 2].map((row) => ({ description: 'A row', id: `${section}.${row}`, title: `${row}` }));
const list: Json = {
  ...texts,
  type: 'list',
  action: {
    button: 'Choose',
    sections: [1, 2].map((section) => ({ title: `Section ${section}`, rows: rows(section) })),
  },
};

const products = (section: number) => [1, 2].map((item) => ({ product_retailer_id: `${section}.${item}` }));
const money = (value: number, extraFields: Json = {}) => ({ offset: 100, value, ...extraFields });
const order: Json = {
  discount: money(100, { description: 'a text', discount_program_name: 'a text' }),
  items: [{ amount: money(1500), name: 'bread', quantity: 1, retailer_id: '1234567', sale_amount: money(1000) }],
  shipping: money(100, { description: 'a text' }),
  status: 'pending',
  subtotal: money(1000),
  tax: money(100, { description: 'a text' }),
};

const REPLIES: Record<string, Json> = {
  'Audio Message by ID': { type: 'audio', audio: { id } },
  'Audio Message by URL': { type: 'audio', audio: { link } },
  'Contact Message': { type: 'contacts', contacts: [card] },
  'Document Message by ID': { type: 'document', document: { caption: 'Caption', filename: 'name.pdf', id } },
  'Document Message by URL': { type: 'document', document: { caption: 'Caption', link } },
  'Image Message by ID': { type: 'image', image: { id } },
  'Image Message by URL': { type: 'image', image: { link } },
  'Location Message': {
    type: 'location',
    location: { address: '1 Hacker Way', latitude: 37.758056, longitude: -122.425332, name: 'META HQ' },
  },
  'Sticker Message by ID': { type: 'sticker', sticker: { id } },
  'Sticker Message by URL': { type: 'sticker', sticker: { link } },
  'Text Message': { type: 'text', text: { body: 'Text', preview_url: false } },
  'Video Message by ID': { type: 'video', video: { caption: 'Caption', id } },
  'Video Message by URL': { type: 'video', video: { caption: 'Caption', link } },
};

const parameter = (type: string, value: unknown) => ({ type, [type]: value });
const amount = parameter('currency', { amount_1000: 100990, code: 'USD', fallback_value: '$100.99' });
const day = parameter('date_time', {
  calendar: 'GREGORIAN',
  day_of_month: 25,
  day_of_week: 5,
  fallback_value: 'February 25, 1977',
  hour: 15,
  minute: 33,
  month: 2,
  year: 1977,
});
const textBody = { type: 'body', parameters: [parameter('text', 'text-string'), amount, day] };
const imageHeader = { type: 'header', parameters: [parameter('image', { link })] };
const quickReply = (index: number) => ({
  type: 'button',
  sub_type: 'quick_reply',
  index: String(index),
  parameters: [parameter('payload', `pressed-${index}`)],
});
const template = (name: string, ...components: Json[]): Json => ({
  type: 'template',
  template: { name, language: { code: 'en_US' }, ...(components.length > 0 && { components }) },
});

export const TEMPLATES: { name: string; category?: 'MARKETING'; components: Json[] }[] = [
  { name: 'hello_world', components: [{ type: 'BODY', text: 'Hello' }] },
  { name: 'three_values', components: [{ type: 'BODY', text: '{{1}}, {{2}} and {{3}}.' }] },
  {
    name: 'with_picture',
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: '{{1}}, {{2}} and {{3}}.' },
    ],
  },
  {
    name: 'with_buttons',
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: '{{1}}, {{2}} and {{3}}.' },
      { type: 'BUTTONS', buttons: ['Yes', 'No'].map((text) => ({ type: 'QUICK_REPLY', text })) },
    ],
  },
  {
    name: 'issue_resolution',
    components: [
      { type: 'BODY', text: 'Hi {{1}}, were we able to solve it?' },
      { type: 'BUTTONS', buttons: ['Yes', 'No'].map((text) => ({ type: 'QUICK_REPLY', text })) },
    ],
  },
  {
    name: 'catalog_offer',
    category: 'MARKETING',
    components: [
      { type: 'BODY', text: '{{1}}, {{2}} and {{3}}.' },
      { type: 'BUTTONS', buttons: [{ type: 'CATALOG', text: 'View' }] },
    ],
  },
  {
    name: 'with_flow',
    category: 'MARKETING',
    components: [
      { type: 'BODY', text: 'Check this out' },
      { type: 'BUTTONS', buttons: [{ type: 'FLOW', text: 'Open', flow_id: '1', navigate_screen: 'START' }] },
    ],
  },
];

const action = (object: Json) => [{ type: 'action', action: object }];

/** Without `messaging_product` and `to`. */
export const MESSAGES: Record<string, Json> = {
  ...REPLIES,
  ...Object.fromEntries(
    Object.entries({ ...REPLIES, 'List Message': interactiveMessage(list) }).map(([name, message]) => [
      `Reply to ${name}`,
      { ...message, context: { message_id: 'INBOUND' } },
    ]),
  ),
  'Reply with Reaction Message': { type: 'reaction', reaction: { message_id: 'INBOUND', emoji: '😀' } },
  'Catalog Message': interactiveMessage({
    type: 'catalog_message',
    body: { text: 'Body' },
    footer: { text: 'Footer' },
    action: { name: 'catalog_message', parameters: { thumbnail_product_retailer_id: '2lc20305pt' } },
  }),
  'Draft Flow by ID': flow({ flow_id: '1' }, { mode: 'draft' }),
  'Draft Flow by Name': flow({ flow_name: 'booking' }, { mode: 'draft' }),
  'Published Flow by ID': flow({ flow_id: '1' }, {}),
  'Published Flow by Name': flow({ flow_name: 'booking' }, {}),
  'List Message': interactiveMessage(list),
  'Reply Button': interactiveMessage({
    type: 'button',
    body: { text: 'Body' },
    action: { buttons: ['1', '2'].map((id) => ({ type: 'reply', reply: { id, title: id } })) },
  }),
  'Multi-Product Message': interactiveMessage({
    ...texts,
    type: 'product_list',
    action: {
      catalog_id: '146265584024623',
      sections: [1, 2].map((section) => ({ title: `Section ${section}`, product_items: products(section) })),
    },
  }),
  'Single Product Message': interactiveMessage({
    type: 'product',
    body: { text: 'Body' },
    footer: { text: 'Footer' },
    action: { catalog_id: '367025965434465', product_retailer_id: '1' },
  }),
  'Order Details Message': interactiveMessage({
    ...texts,
    type: 'order_details',
    header: { type: 'image', image: { link } },
    action: {
      name: 'review_and_pay',
      parameters: {
        currency: 'INR',
        order,
        payment_configuration: 'my-payment',
        payment_type: 'upi',
        reference_id: 'unique',
        total_amount: money(1100),
        type: 'digital-goods',
      },
    },
  }),
  'Order Status Message': interactiveMessage({
    type: 'order_status',
    body: { text: 'Body' },
    action: {
      name: 'review_order',
      parameters: { order: { description: 'a text', status: 'processing' }, reference_id: 'unique' },
    },
  }),
  // This message has no `type`, as in Meta's example.
  'Text Message with Preview URL': { text: { body: 'Please visit https://example.com.', preview_url: true } },
  'Test Message': template('hello_world'),
  'Message Template Text': template('three_values', textBody),
  'Message Template Media': template('with_picture', imageHeader, textBody),
  'Message Template Interactive': template('with_buttons', imageHeader, textBody, quickReply(0), quickReply(1)),
  'Sample Issue Resolution Template, with payloads': {
    type: 'template',
    template: {
      name: 'issue_resolution',
      language: { code: 'en_US', policy: 'deterministic' },
      components: [{ type: 'body', parameters: [parameter('text', '*Mr. Jones*')] }, quickReply(0), quickReply(1)],
    },
  },
  'Catalog Template Message': template(
    'catalog_offer',
    { type: 'body', parameters: ['100', '400', '3'].map((value) => parameter('text', value)) },
    { type: 'button', sub_type: 'CATALOG', index: 0, parameters: action({ thumbnail_product_retailer_id: '2l' }) },
  ),
  'Flow Template Message': template('with_flow', {
    type: 'button',
    sub_type: 'flow',
    index: '0',
    parameters: action({ flow_token: 'token', flow_action_data: { key: 'value' } }),
  }),
};
