/** A PNG of one pixel. */
export const PICTURE = {
  name: 'menu.png',
  type: 'image/png',
  base64: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
};

/** @type {readonly import('../player.mjs').Step[]} */
export const conversationSteps = [
  {
    operation: 'getAccount',
    title: 'The channel and its usage',
    stable: { 'data.usage': { requestCount: 1204, monthlyRequestCount: 310 } },
  },

  {
    operation: 'playInbound',
    title: 'A text from a contact',
    body: { from: '14155550123', text: 'Hello, is my order ready?' },
    as: 'inbound',
  },
  {
    operation: 'playInbound',
    title: 'A location',
    body: {
      from: '442079460123',
      type: 'location',
      payload: { latitude: 52.52, longitude: 13.405, name: 'Berlin' },
      id: 'wamid.inbound-2',
    },
  },
  { operation: 'listInbound', title: 'Inbound messages, newest first', query: { limit: 2 } },

  {
    operation: 'sendReply',
    title: 'A reply',
    body: { to: '14155550123', message: 'Yes, you can collect it until six.' },
    as: 'reply',
  },
  {
    operation: 'sendReply',
    title: 'The contact has not written within 24 hours',
    body: { to: '14155550199', message: 'Yes, you can collect it until six.' },
    status: 403,
  },
  {
    operation: 'sendTemplate',
    title: 'A template with one parameter',
    body: {
      to: '14155550123',
      templateName: 'order_update',
      language: 'en_US',
      components: [{ type: 'body', parameters: [{ type: 'text', text: 'A-1001' }] }],
    },
  },
  {
    operation: 'sendTemplate',
    title: 'A parameter is missing',
    body: { to: '14155550123', templateName: 'order_update', language: 'en_US' },
    status: 400,
  },
  {
    operation: 'sendRich',
    title: 'A picture',
    body: {
      to: '14155550123',
      type: 'image',
      image: { link: 'https://example.com/picture.jpg', caption: 'Our shop' },
    },
  },
  {
    operation: 'sendRich',
    title: 'Reply buttons',
    body: {
      to: '14155550123',
      type: 'interactive',
      interactive: {
        type: 'button',
        body: { text: 'When do you want to collect it?' },
        action: {
          buttons: [
            { type: 'reply', reply: { id: 'today', title: 'Today' } },
            { type: 'reply', reply: { id: 'tomorrow', title: 'Tomorrow' } },
          ],
        },
      },
    },
    as: 'buttons',
  },
  {
    operation: 'markRead',
    title: 'The contact sees that you read the message and are typing',
    body: { messageId: '<inbound.data.messageId>', typing: true },
  },
  {
    operation: 'getMessageStatus',
    path: { messageId: '<buttons.data.messageId>' },
    until: { 'data.status': 'delivered' },
  },
  {
    operation: 'getMessageStatus',
    title: 'A delivered message',
    path: { messageId: '<reply.data.messageId>' },
    until: { 'data.status': 'delivered' },
  },

  {
    operation: 'listConversations',
    title: 'Unread conversations with an open window',
    query: { unread: true, windowOpen: true, limit: 1, search: '14155550123' },
    as: 'conversations',
  },
  {
    operation: 'getConversation',
    title: 'A conversation',
    path: { id: '<conversations.data.conversations.0.id>' },
  },
  {
    operation: 'listConversationMessages',
    title: 'The newest two messages',
    path: { id: '<conversations.data.conversations.0.id>' },
    query: { limit: 2 },
  },
  {
    operation: 'markConversationRead',
    title: 'All messages',
    path: { id: '<conversations.data.conversations.0.id>' },
    body: {},
  },

  { operation: 'uploadMedia', title: 'A picture', file: PICTURE, as: 'media' },
  { operation: 'listMedia', title: 'The newest file', query: { limit: 1 } },
  { operation: 'getMedia', title: 'The content of a file', path: { id: '<media.data.id>' } },
  { operation: 'deleteMedia', title: 'A file', path: { id: '<media.data.id>' } },
  { operation: 'getMedia', title: 'A deleted file', path: { id: '<media.data.id>' }, status: 404 },

  { operation: 'listTemplates', title: 'Templates waiting for approval', query: { status: 'PENDING' } },
  {
    operation: 'createTemplate',
    title: 'A template with one parameter',
    body: {
      name: 'order_ready',
      language: 'en_US',
      category: 'UTILITY',
      components: [
        { type: 'BODY', text: 'Your order {{1}} is ready.', example: { body_text: [['A-1001']] } },
        { type: 'FOOTER', text: 'Acme' },
      ],
    },
    as: 'template',
  },
  {
    operation: 'createTemplate',
    title: 'The name and language are in use',
    body: {
      name: 'order_update',
      language: 'en_US',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Your order is on its way.' }],
    },
    status: 409,
  },
  { operation: 'uploadTemplateExample', title: 'A picture', body: { data: PICTURE.base64 } },
  { operation: 'syncTemplates', title: 'Decisions since the last sync', first: { 'data.templates': 2 } },
  {
    operation: 'editTemplate',
    title: 'Another text',
    path: { id: '<template.data.id>' },
    body: {
      components: [{ type: 'BODY', text: 'You can collect your order {{1}}.', example: { body_text: [['A-1001']] } }],
    },
  },
  { operation: 'deleteTemplate', title: 'A template', path: { id: '<template.data.id>' } },

  {
    operation: 'createWebhook',
    title: 'A webhook for two events',
    body: { url: '<receiver>/hooks/channel', events: ['message.received', 'contact.merged'] },
    as: 'channelHook',
  },
  {
    operation: 'createWebhook',
    title: 'An unknown event',
    body: { url: '<receiver>/hooks/channel', events: ['message.sent'] },
    status: 400,
  },
  { operation: 'listWebhooks', title: 'All webhooks' },
  { operation: 'getWebhook', title: 'A webhook', path: { id: '<channelHook.data.id>' } },
  {
    operation: 'updateWebhook',
    title: 'Other events',
    path: { id: '<channelHook.data.id>' },
    body: { events: ['contact.merged'] },
  },
  { operation: 'testWebhook', title: 'A test event', path: { id: '<channelHook.data.id>' } },
  {
    operation: 'listWebhookDeliveries',
    title: 'Deliveries',
    path: { id: '<channelHook.data.id>' },
    until: { 'data.deliveries.0.status': 'delivered' },
    as: 'channelDeliveries',
  },
  {
    operation: 'replayWebhookDelivery',
    title: 'A delivery once more',
    path: { id: '<channelHook.data.id>', deliveryId: '<channelDeliveries.data.deliveries.0.id>' },
  },
  { operation: 'rotateWebhookSecret', title: 'A new secret', path: { id: '<channelHook.data.id>' } },
  { operation: 'deleteWebhook', title: 'A webhook', path: { id: '<channelHook.data.id>' } },

  {
    operation: 'getUsage',
    title: 'Recent requests',
    until: {
      'data.recentRequests.0.endpoint': '/api/v1/account/usage',
      'data.recentRequests.1.endpoint': '/api/v1/account/usage',
    },
    stable: { data: { last24Hours: 96, last7Days: 310, total: 1204 } },
    first: { 'data.recentRequests': 2 },
  },
];
