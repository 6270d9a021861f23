import { PICTURE } from './conversation.mjs';

const VERSION = { version: 'v26.0' };
const NUMBER = { ...VERSION, phoneNumberId: '<channel.phoneNumberId>' };
const BUSINESS = { ...VERSION, businessAccountId: '<channel.businessAccountId>' };
const CONTACT = '14155550134';

/** @type {readonly import('../player.mjs').Step[]} */
export const graphSteps = [
  { operation: 'playInbound', body: { from: CONTACT, text: 'Hello', id: 'wamid.inbound-7' } },
  {
    operation: 'graphSend',
    title: 'A text',
    path: NUMBER,
    body: { messaging_product: 'whatsapp', to: CONTACT, type: 'text', text: { body: 'Hello' } },
  },
  {
    operation: 'graphSend',
    title: 'A template',
    path: NUMBER,
    body: {
      messaging_product: 'whatsapp',
      to: CONTACT,
      type: 'template',
      template: { name: 'hello_world', language: { code: 'en_US' } },
    },
  },
  {
    operation: 'graphSend',
    title: 'A read receipt',
    path: NUMBER,
    body: { messaging_product: 'whatsapp', status: 'read', message_id: 'wamid.inbound-7' },
  },
  {
    operation: 'graphSend',
    title: 'The contact has not written within 24 hours',
    path: NUMBER,
    body: { messaging_product: 'whatsapp', to: '14155550198', type: 'text', text: { body: 'Hello' } },
    status: 400,
  },
  {
    operation: 'graphCreateTemplate',
    title: 'A template',
    path: BUSINESS,
    body: {
      name: 'order_late',
      language: 'en_US',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Your order {{1}} is late.', example: { body_text: [['A-1001']] } }],
    },
    as: 'graphTemplate',
  },
  { operation: 'syncTemplates' },
  {
    operation: 'graphListTemplates',
    title: 'Templates by name',
    path: BUSINESS,
    query: { name: 'order_late', fields: 'id,name,status,language,category' },
  },
  {
    operation: 'graphEditTemplate',
    title: 'Another text',
    path: { ...VERSION, id: '<graphTemplate.id>' },
    body: {
      components: [{ type: 'BODY', text: 'Sorry, your order {{1}} is late.', example: { body_text: [['A-1001']] } }],
    },
  },
  { operation: 'graphDeleteTemplates', title: 'A template', path: BUSINESS, query: { name: 'order_late' } },

  {
    operation: 'graphUploadMedia',
    title: 'A picture',
    path: NUMBER,
    body: { messaging_product: 'whatsapp' },
    file: PICTURE,
    as: 'graphMedia',
  },
  { operation: 'graphGet', title: 'A file', path: { ...VERSION, id: '<graphMedia.id>' } },
  {
    operation: 'graphGet',
    title: 'A phone number',
    path: { ...VERSION, id: '<channel.phoneNumberId>' },
    query: { fields: 'id,display_phone_number,verified_name,quality_rating' },
  },
  { operation: 'graphGet', title: 'An unknown ID', path: { ...VERSION, id: '100000000000001' }, status: 400 },
  { operation: 'graphDownloadMedia', title: 'The content of a file', path: { ...VERSION, id: '<graphMedia.id>' } },
  { operation: 'graphDeleteMedia', title: 'A file', path: { ...VERSION, id: '<graphMedia.id>' } },

  { operation: 'graphListNumbers', title: 'The numbers of a business account', path: BUSINESS },
  {
    operation: 'graphRegisterNumber',
    title: 'A number',
    path: NUMBER,
    body: { messaging_product: 'whatsapp', pin: '123456' },
  },
  {
    operation: 'graphChangeProfile',
    title: 'A text and a website',
    path: NUMBER,
    body: { messaging_product: 'whatsapp', about: 'We repair lamps', websites: ['https://example.com'] },
  },
  { operation: 'graphGetProfile', title: 'The profile', path: NUMBER },
  {
    operation: 'graphSubscribe',
    title: 'A webhook for every number',
    path: BUSINESS,
    body: { override_callback_uri: '<receiver>/webhooks/whatsapp', verify_token: 'a-word-of-yours' },
  },
  { operation: 'graphListSubscriptions', title: 'The enabled webhooks', path: BUSINESS },
  { operation: 'graphUnsubscribe', title: 'All webhooks', path: BUSINESS },
  {
    operation: 'graphInspectToken',
    title: 'The own token',
    path: VERSION,
    query: { input_token: '<surfaceB.apiKey>.<surfaceB.apiSecret>' },
  },
];
