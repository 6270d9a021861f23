/** @type {readonly import('../player.mjs').Step[]} */
export const accountWebhookSteps = [
  {
    operation: 'createAccountWebhook',
    title: 'A webhook for two events',
    body: { url: '<receiver>/hooks/heliograph', events: ['message.received', 'account.balance_low'] },
    as: 'hook',
  },
  {
    operation: 'createAccountWebhook',
    title: 'An unknown event',
    body: { url: '<receiver>/hooks/heliograph', events: ['message.sent'] },
    status: 400,
  },
  { operation: 'listAccountWebhooks', title: 'All webhooks' },
  { operation: 'getAccountWebhook', title: 'A webhook', path: { webhook_id: '<hook.data.id>' } },
  {
    operation: 'updateAccountWebhook',
    title: 'Other events',
    path: { webhook_id: '<hook.data.id>' },
    body: { events: ['account.balance_low'] },
  },
  { operation: 'testAccountWebhook', title: 'A test event', path: { webhook_id: '<hook.data.id>' } },
  {
    operation: 'listAccountWebhookDeliveries',
    title: 'Deliveries',
    path: { webhook_id: '<hook.data.id>' },
    until: { 'data.0.status': 'delivered' },
    as: 'deliveries',
  },
  {
    operation: 'replayAccountWebhookDelivery',
    title: 'A delivery once more',
    path: { webhook_id: '<hook.data.id>', delivery_id: '<deliveries.data.0.id>' },
  },
  { operation: 'rotateAccountWebhookSecret', title: 'A new secret', path: { webhook_id: '<hook.data.id>' } },
  { operation: 'deleteAccountWebhook', title: 'A webhook', path: { webhook_id: '<hook.data.id>' } },
];
