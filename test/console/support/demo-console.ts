import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DemoKeys } from '../../../src/features/demo/keys-file.js';
import { newId } from '../../../src/platform/ids.js';
import type { Deps } from '../../../src/process/startup/deps.js';
import { createAutomation, triggerAutomation } from '../../support/automations.js';
import type { ChannelHeaders } from '../../support/channels.js';
import { sendSms, waitForStatus } from '../../support/messages.js';
import { createTestOperator } from '../../support/operators.js';
import type { TestApp } from '../../support/test-app.js';

export interface DemoConsole {
  /** IDs for route paths, by parameter name, for example `messageId`. */
  ids: Readonly<Record<string, string>>;
  signInUrl: string;
}

const RECIPIENTS = [
  '15005550111',
  '447911123456',
  '4917604069012',
  '33612345678',
  '34612345678',
  '393331234567',
  '919876543210',
  '5511987654321',
  '61412345678',
  '819012345678',
  '27821234567',
  '2348031234567',
];

export async function fillDemo(heliograph: TestApp, dataDir: string): Promise<DemoConsole> {
  const { deps } = heliograph;
  const keys = JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8')) as Required<DemoKeys>;
  const { apiKey, apiSecret, channelId } = keys.surfaceB;
  const headers: ChannelHeaders = { 'x-api-key': apiKey, 'x-api-secret': apiSecret, 'x-channel-id': channelId };
  const { accountId } = await deps.prisma.channel.findUniqueOrThrow({ where: { id: channelId } });
  const operator = await createTestOperator(heliograph);
  const ask = async (path: string, body: object, method: 'POST' | 'PUT' = 'POST') => {
    const response = await operator.ask(method, path, body);
    if (response.statusCode >= 300) throw new Error(`${path}: ${response.statusCode} ${response.body}`);
    return response.json().data;
  };
  const account = `/accounts/${accountId}`;
  const channel = `${account}/channels/${channelId}`;

  const smsAccount = { headers: { authorization: `Bearer ${keys.surfaceA.apiKey}` } };
  const send = async (to: string) => (await sendSms(heliograph, smsAccount, { to })).message_id;
  const deliveredIds = await Promise.all(RECIPIENTS.map(send));
  const messageId = await send('15005550002');
  await waitForStatus(heliograph, deliveredIds, 'delivered');
  await waitForStatus(heliograph, [messageId], 'undelivered');

  const inbound = `${channel}/simulator/inbound`;
  const ada = '15005550151';
  const { conversationId } = await ask(inbound, { from: ada, text: 'Hello, where is my order?' });
  const location = { latitude: 52.52, longitude: 13.405, name: 'Berlin' };
  await ask(inbound, { from: ada, type: 'location', payload: location });
  await ask(inbound, {
    from: ada,
    type: 'document',
    payload: { filename: 'invoice.pdf', link: 'javascript:alert(1)' },
  });
  await ask(inbound, { from: ada, type: 'image', payload: { id: '1', mime_type: 'image/png', caption: 'The box' } });
  await ask(inbound, { from: ada, type: 'document', payload: { id: '2', filename: 'receipt.pdf' } });
  await ask(`${account}/opt-outs`, { kind: 'sms', sender: 'Heliograph', phone: '15005550152' });
  // A contact with a hidden number appears in the inbox, the message list and the opt-outs.
  const grace = { userId: 'US.13491208655302741918', username: 'grace.hopper' };
  await ask(inbound, { ...grace, text: 'Hello from somebody without a number' });
  await ask(`${channel}/messages/reply`, { userId: grace.userId, message: 'Hello Grace' });
  const { phoneNumber } = await deps.prisma.channel.findUniqueOrThrow({ where: { id: channelId } });
  await ask(`${account}/opt-outs`, { kind: 'whatsapp', sender: phoneNumber, userId: grace.userId });
  await ask(`${account}/opt-outs/words`, { word: 'Basta!', meaning: 'stop' });

  const rows = [
    { row: 2, phone: '15005550161', name: 'Dorothy Vaughan', email: '' },
    { row: 3, phone: '12', name: 'Nobody', email: '' },
  ];
  const startedImport = await ask(`${channel}/imports`, { fileName: 'people.csv', slices: 1, totalRows: rows.length });
  await ask(`${channel}/imports/${startedImport.id}/slices/0`, { rows, country: 'international' }, 'PUT');

  const automationId = await createAutomation(
    heliograph,
    { headers },
    [
      { type: 'send_template', templateName: 'hello_world', language: 'en_US' },
      { type: 'wait', seconds: 7200 },
      { type: 'send_reply', message: 'Hello {{contact.name|there}}' },
    ],
    { name: 'Welcome', keyword: 'start' },
  );
  await triggerAutomation(heliograph, { headers }, automationId, { phone: ada });
  const condition = {
    any: [
      { field: 'tags', operator: 'has', value: 'vip' },
      { field: 'country', operator: 'is', value: 'US' },
    ],
  };
  const audience = await ask(`${channel}/audiences`, { name: 'Good customers', condition });
  await ask(`${channel}/webhooks`, { url: 'https://nobody.invalid/hook', events: ['message.status'] });
  const webhook = await ask(`${account}/webhooks`, { url: 'https://nobody.invalid/all', events: ['message.status'] });
  await ask(`${account}/webhooks/${webhook.id}/test`, {});

  const settings = { host: 'localhost', systemId: 'lighthouse', password: 'env:NOWHERE_SET' };
  await ask('/carriers', { name: 'smsc-1', type: 'smpp', settings, isActive: false });
  const meta = { accessToken: 'env:NOWHERE_SET', appSecret: 'env:NOWHERE_SET', verifyToken: 'env:NOWHERE_SET' };
  await ask('/carriers', { name: 'meta', type: 'whatsapp-cloud', settings: meta, isActive: false });
  await logCalls(deps, messageId);
  await ask('/routes', { carriers: ['simulator'], callingCode: '49' });

  const campaign = await deps.prisma.campaign.findFirstOrThrow({ where: { accountId } });
  const ids = {
    accountId,
    messageId,
    conversationId,
    campaignId: campaign.id,
    automationId,
    audienceId: audience.id,
    webhookId: webhook.id,
    name: 'meta',
  };
  return { ids, signInUrl: keys.console.signInUrl };
}

export async function logCalls({ prisma }: Pick<Deps, 'prisma'>, messageId: string): Promise<void> {
  const body = { messaging_product: 'whatsapp', to: '+15005550101', type: 'text', text: { body: 'Hello' } };
  const call = { carrier: 'meta', method: 'POST', url: 'https://graph.facebook.com/v26.0/106540352242922/messages' };
  const sharedFields = { ...call, at: new Date(), request: JSON.stringify(body), messageId };
  const refusal = '{"error":{"message":"(#131056) Pair rate limit hit","code":131056}}';
  const acceptance = '{"messages":[{"id":"wamid.HBgLMTUwMDU1NTAxMDE"}]}';
  const report = {
    carrier: 'meta',
    ids: ['106540352242922'],
    body: Buffer.from('{}'),
    form: 'bare',
    receivedAt: new Date(),
  };
  const kinds = [
    ['field:group_settings_update', 'unknown'],
    ['inbound:text', 'no-channel'],
  ] as const;
  await prisma.keptReport.createMany({
    data: kinds.map(([kind, reason]) => ({ id: newId(), ...report, kind, reason, digest: Buffer.from(kind) })),
  });
  await prisma.carrierCall.createMany({
    data: [
      { id: newId(), ...sharedFields, milliseconds: 187, status: 400, answer: refusal, failed: true },
      { id: newId(), ...sharedFields, milliseconds: 10_000, failure: 'TIMEOUT', failed: true },
      { id: newId(), ...sharedFields, milliseconds: 164, status: 200, answer: acceptance, failed: false },
    ],
  });
}
