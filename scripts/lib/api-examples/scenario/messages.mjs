/** @type {readonly import('../player.mjs').Step[]} */
export const messageSteps = [
  { operation: 'healthLive', title: 'The process runs' },
  { operation: 'healthReady', title: 'The process accepts messages' },

  { operation: 'accountBalance', title: 'The balance' },
  { operation: 'accountBalanceByPost', title: 'The balance' },
  { operation: 'accountBalanceV2', title: 'The balance' },
  { operation: 'accountBalanceByPostV2', title: 'The balance' },

  {
    operation: 'sendSms',
    title: 'An SMS',
    body: { from: 'Acme', to: '14155550123', message: 'Your parcel arrives today.' },
    as: 'sms',
  },
  {
    operation: 'sendSms',
    title: 'A number without a country code',
    body: { from: 'Acme', to: '0555', message: 'Your parcel arrives today.' },
    status: 400,
  },
  {
    operation: 'smsStatus',
    title: 'The SMS was delivered',
    path: { message_id: '<sms.data.0.message_id>' },
    until: { status: 'delivered' },
  },
  {
    operation: 'smsStatus',
    title: 'An unknown ID',
    path: { message_id: '01a20000-0000-7000-8000-000000000000' },
    status: 404,
  },
  {
    operation: 'smsStatusV2',
    title: 'The SMS was delivered',
    path: { message_id: '<sms.data.0.message_id>' },
    until: { status: 'delivered' },
  },

  {
    operation: 'send',
    title: 'An SMS',
    body: { to: '14155550123', from: 'Acme', message: 'Hello' },
  },
  {
    operation: 'send',
    title: 'An SMS to two numbers',
    body: {
      from: 'Acme',
      to: ['14155550123', '442079460123'],
      message: 'Your order A-1001 is on its way.',
      reference: 'A-1001',
    },
    as: 'sent',
  },
  {
    operation: 'send',
    title: 'A WhatsApp template with an SMS as fallback',
    body: {
      from: '15005550100',
      to: '14155550123',
      channel: 'whatsapp',
      template_id: 'order_update',
      template_data: {
        language: { code: 'en_US' },
        components: [{ type: 'body', parameters: [{ type: 'text', text: 'A-1001' }] }],
      },
      fallback: { channel: 'sms', from: 'Acme', message: 'Your order A-1001 is on its way.' },
    },
  },
  {
    operation: 'send',
    title: 'The message is missing',
    body: { from: 'Acme', to: '14155550123' },
    status: 400,
  },
  {
    operation: 'estimate',
    title: 'Two parts to two countries',
    body: {
      from: 'Acme',
      to: ['14155550123', '442079460123'],
      message: 'Your order A-1001 is on its way. 📦 Our driver rings you ten minutes before, at this number.',
    },
  },
  {
    operation: 'getMessage',
    title: 'A delivered SMS',
    path: { message_id: '<sent.data.0.message_id>' },
    until: { 'data.status': 'delivered' },
  },
  { operation: 'getMessage', path: { message_id: '<sent.data.1.message_id>' }, until: { 'data.status': 'delivered' } },
  {
    operation: 'listMessages',
    title: 'Messages with a reference, one per page',
    query: { reference: 'A-1001', limit: 1 },
  },
  {
    operation: 'send',
    body: { from: 'Acme', to: '14155550123', message: 'Good morning', scheduled_at: '<in 2 hours>' },
    as: 'scheduled',
  },
  {
    operation: 'cancelMessage',
    title: 'A scheduled SMS',
    path: { message_id: '<scheduled.data.0.message_id>' },
  },
  {
    operation: 'cancelMessage',
    title: 'Already canceled',
    path: { message_id: '<scheduled.data.0.message_id>' },
    status: 409,
  },

  { operation: 'rotateCallbackSecret', title: 'A new secret' },
  {
    operation: 'send',
    body: {
      from: 'Acme',
      to: '14155550123',
      message: 'Hello',
      callback_url: '<receiver>/hooks/heliograph?order=A-1001',
    },
    as: 'called',
  },
  {
    operation: 'getMessage',
    path: { message_id: '<called.data.0.message_id>' },
    until: { 'data.status': 'delivered' },
  },
  {
    operation: 'listCallbacks',
    title: 'Delivered callbacks',
    path: { message_id: '<called.data.0.message_id>' },
    until: { 'data.0.status': 'delivered', 'data.1.status': 'delivered' },
    as: 'callbacks',
  },
  {
    operation: 'replayCallback',
    title: 'A callback once more',
    path: { message_id: '<called.data.0.message_id>', delivery_id: '<callbacks.data.0.id>' },
  },

  { operation: 'listChanges', query: { after: 'now' }, as: 'before' },
  { operation: 'send', body: { from: 'Acme', to: '14155550123', message: 'Hello again' }, as: 'followed' },
  {
    operation: 'getMessage',
    path: { message_id: '<followed.data.0.message_id>' },
    until: { 'data.status': 'delivered' },
  },
  {
    operation: 'listChanges',
    title: 'Changes after a cursor',
    query: { after: '<before.cursor>', limit: 2 },
  },

  {
    operation: 'sendVerification',
    title: 'A code by SMS',
    body: { to: '14155550123', from: 'Acme', app_name: 'Acme', locale: 'en' },
  },
  { command: ['simulator', 'codes', '--to', '14155550123'], as: 'codes', mask: { '0.code': '123456' } },
  {
    operation: 'checkVerification',
    title: 'The right code',
    body: { to: '14155550123', code: '<codes.0.code>' },
  },
  {
    operation: 'checkVerification',
    title: 'No valid code',
    body: { to: '14155550123', code: '<codes.0.code>' },
    status: 404,
  },
];
