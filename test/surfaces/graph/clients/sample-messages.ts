type Json = Record<string, unknown>;

export const ORDER_UPDATE = {
  name: 'order_update',
  components: [
    { type: 'BODY', text: 'Your order {{1}} is on its way.' },
    { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Follow it', url: 'https://example.com/{{1}}' }] },
  ],
};
export const ORDER_SENT = {
  name: 'order_update',
  language: { code: 'en_US' },
  components: [
    { type: 'body', parameters: [{ type: 'text', text: 'A-1001' }] },
    { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'A-1001' }] },
  ],
};

export const LINKS: [kind: 'image' | 'audio' | 'video' | 'document' | 'sticker', object: Json & { link: string }][] = [
  ['image', { link: 'https://example.com/a.jpg', caption: 'Look' }],
  ['audio', { link: 'https://example.com/a.ogg' }],
  ['video', { link: 'https://example.com/a.mp4', caption: 'See' }],
  ['document', { link: 'https://example.com/bill.pdf', caption: 'Your bill', filename: 'bill.pdf' }],
  ['sticker', { link: 'https://example.com/a.webp' }],
];

export const FILES = [
  ['image', 'image/jpeg', 'a.jpg'],
  ['audio', 'audio/ogg', 'a.ogg'],
  ['video', 'video/mp4', 'a.mp4'],
  ['document', 'application/pdf', 'bill.pdf'],
  ['sticker', 'image/webp', 'a.webp'],
] as const;

export const INTERACTIVE: Record<string, Json> = {
  button: {
    type: 'button',
    header: { type: 'image', image: { link: 'https://example.com/a.jpg' } },
    body: { text: 'Shall we come?' },
    footer: { text: 'The shop' },
    action: {
      buttons: [
        { type: 'reply', reply: { id: 'yes', title: 'Yes' } },
        { type: 'reply', reply: { id: 'no', title: 'No' } },
      ],
    },
  },
  list: {
    type: 'list',
    header: { type: 'text', text: 'Times' },
    body: { text: 'When?' },
    footer: { text: 'The shop' },
    action: {
      button: 'Choose',
      sections: [{ title: 'Today', rows: [{ id: 'nine', title: 'Nine', description: 'In the morning' }] }],
    },
  },
  cta_url: {
    type: 'cta_url',
    body: { text: 'All dates are here.' },
    action: { name: 'cta_url', parameters: { display_text: 'Dates', url: 'https://example.com/dates' } },
  },
  location_request_message: {
    type: 'location_request_message',
    body: { text: 'Where are you?' },
    action: { name: 'send_location' },
  },
  flow: {
    type: 'flow',
    body: { text: 'Book a table' },
    action: {
      name: 'flow',
      parameters: {
        flow_message_version: '3',
        flow_cta: 'Book',
        flow_id: '1234567890',
        flow_token: 'table-7',
        flow_action: 'navigate',
        flow_action_payload: { screen: 'START', data: { table: 7 } },
      },
    },
  },
  product: { type: 'product', body: { text: 'This one' }, action: { catalog_id: '1', product_retailer_id: 'cup' } },
};

export const LOCATION = { latitude: 51.5, longitude: -0.12, name: 'The shop', address: 'A street 1' };
