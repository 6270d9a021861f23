import { Readable } from 'node:stream';
import { Secret, TOTP } from 'otpauth';
import { uploadMedia } from '../../src/features/media/upload.js';
import { newId } from '../../src/platform/ids.js';
import { addTemplate, createGroup } from './channel-contents.js';
import type { TestChannel } from './channels.js';
import { beginSession, createTestOperator, PASSWORD, type TestOperator } from './operators.js';
import { sendRequest } from './sends.js';
import type { TestApp } from './test-app.js';

export type Data = Record<string, string> & { recoveryCodes: string[] };

export type PerformChange = (
  operationId: string,
  params?: Record<string, string>,
  body?: object,
  operator?: TestOperator,
) => Promise<Data>;

export interface ChangeContext {
  heliograph: TestApp;
  /** Has the template `hello`. */
  channel: TestChannel;
  issuerUrl: string;
}

export const NEW_PASSWORD = 'a new correct horse battery';
const PHONE = '15005550111';

/** Reasons why some operations with unsafe HTTP methods need no audit log entry. */
export const NO_CHANGE: Readonly<Record<string, string>> = {
  consoleEstimateCampaign: 'only computes',
  consolePreviewAudience: 'only computes',
  consoleBeginOidc: 'only starts a sign-in; its end is audited',
  consoleBeginOidcLink: 'only starts a link; its end is audited',
  consoleAddImportSlice: 'part of an import, whose start is audited',
};

function buildKeptReport(carrier: string) {
  const id = newId();
  const body = Buffer.from('{}');
  const common = { kind: 'body:unknown', reason: 'unknown', ids: [], form: 'bare', receivedAt: new Date() };
  return { id, carrier, ...common, body, digest: Buffer.from(id) };
}

/** Creates a spending hold for numbers that start with 4477, and returns its ID. */
async function createHold({ deps }: TestApp, { account }: TestChannel): Promise<string> {
  const id = newId();
  const until = new Date(deps.clock.now().getTime() + 3_600_000);
  const hold = { id, accountId: account.id, prefix: '4477', reason: 'codes', messages: 10, heldAt: deps.clock.now() };
  await deps.prisma.spendHold.create({ data: { ...hold, until } });
  return id;
}

export interface Change {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/admin/v1`, with `{accountId}`. */
  path: string;
  fields: readonly string[];
  versioned: boolean;
}

interface OperationDescription {
  operationId: string;
  requestBody?: { content: { 'application/json'?: { schema: { properties?: object } } } };
  parameters?: { in: string; name: string }[];
}

/** Reads the console API's operations with unsafe HTTP methods from the OpenAPI document. */
export async function listChanges({ app }: Pick<TestApp, 'app'>): Promise<Map<string, Change>> {
  const { paths } = (await app.inject({ url: '/openapi.json' })).json();
  const changes = new Map<string, Change>();
  for (const [path, methods] of Object.entries<Record<string, OperationDescription>>(paths)) {
    if (!path.startsWith('/admin/v1')) continue;
    for (const [method, { operationId, requestBody, parameters = [] }] of Object.entries(methods)) {
      // Operations with file uploads are tested by test/surfaces/admin/inbox-files.http.test.ts.
      if (method === 'get' || (requestBody && !requestBody.content['application/json'])) continue;
      changes.set(operationId, {
        method: method.toUpperCase() as Change['method'],
        path: path.slice('/admin/v1'.length),
        fields: Object.keys(requestBody?.content['application/json']?.schema.properties ?? {}),
        versioned: parameters.some((parameter) => parameter.in === 'header' && parameter.name === 'if-match'),
      });
    }
  }
  return changes;
}

/** Valid requests of every operation of the console's API, in an order that satisfies their dependencies. */
export const CONSOLE_CHANGES: Readonly<
  Record<string, (perform: PerformChange, context: ChangeContext) => Promise<void>>
> = {
  'sign-ins, sessions and second factors': async (perform, { heliograph, issuerUrl }) => {
    const operator = await createTestOperator(heliograph, { password: PASSWORD });
    await perform('consoleSignIn', {}, { name: operator.name, password: PASSWORD }, operator);
    await perform('consoleEndOtherSessions', {}, undefined, operator);
    await beginSession(heliograph.deps, operator.id);
    const session = (await operator.ask('GET', '/session/all'))
      .json()
      .data.find((candidate: { isThis: boolean }) => !candidate.isThis);
    await perform('consoleEndOwnSession', { sessionId: session.id }, undefined, operator);
    await perform('consoleChangeOwnPassword', {}, { current: PASSWORD, password: NEW_PASSWORD }, operator);
    await perform('consoleConfirm', {}, { password: NEW_PASSWORD }, operator);
    const { secret } = await perform('consoleBeginSecondFactor', {}, undefined, operator);
    // A one-time code works only once, so every request uses the code of a later period. The code of the last period that the
    // server accepts is not used, because that period may end during the test.
    const code = (period: number) =>
      new TOTP({ secret: Secret.fromBase32(secret as string) }).generate({ timestamp: Date.now() + period * 30_000 });
    await perform('consoleConfirmSecondFactor', {}, { code: code(0) }, operator);
    const { recoveryCodes } = await perform('consoleRenewRecoveryCodes', {}, { code: code(1) }, operator);
    await perform('consoleEndSecondFactor', {}, { code: recoveryCodes[0] }, operator);
    await perform('consoleBeginOidc', {}, {}, operator);
    await perform('consoleBeginOidcLink', {}, undefined, operator);
    const identity = { oidcIssuer: issuerUrl, oidcSubject: 'x' };
    await heliograph.deps.prisma.operator.update({ where: { id: operator.id }, data: identity });
    await perform('consoleEndOidc', {}, undefined, operator);
    const { url } = await perform('consoleGiveLink', { operatorId: operator.id });
    const [, token] = (url as string).split('token=');
    await perform('consoleSignInByLink', {}, { token }, operator);
    await perform('consoleSignOut', {}, undefined, operator);
  },

  'operators and their roles': async (perform) => {
    const { id: operatorId } = await perform(
      'consoleCreateOperator',
      {},
      { name: 'ada', grants: [{ role: 'viewer', accountId: null }] },
    );
    const target = { operatorId: operatorId as string };
    await perform('consoleSetGrants', target, { grants: [{ role: 'developer', accountId: null }] });
    await perform('consoleResetOperator', target);
    await perform('consoleSwitchOperator', target, { isActive: false });
    await perform('consoleRemoveOperator', target);
    const { id } = await perform('consoleAddMember', {}, { name: 'bob', role: 'viewer' });
    await perform('consoleSetMemberRole', { operatorId: id as string }, { role: 'developer' });
    await perform('consoleRemoveMember', { operatorId: id as string });
  },

  'accounts, money and keys': async (perform, { heliograph, channel }) => {
    const { id: accountId } = await perform('consoleCreateAccount', {}, { name: 'Shop' });
    await perform('consoleChangeAccount', { accountId: accountId as string }, { isActive: false });
    await perform('consoleChangeAccountSettings', {}, { lowBalance: '5' });
    await perform('consoleCreditAccount', {}, { amount: '1.5', note: 'paid' });
    await perform('consoleCorrectCredit', {}, { amount: '0.5', note: 'a slip' });
    const guard = { allowed: ['US'], refusesRisky: true, limits: [], watch: null };
    await perform('consoleSetGuard', {}, { guard });
    await perform('consoleReleaseHold', { holdId: await createHold(heliograph, channel) });
    const app = await perform('consoleCreateApp', {}, { name: 'Web shop', scopes: ['rest'] });
    await perform('consoleSetKeyGuard', { keyId: app.id as string }, { guard });
    await perform('consoleRevokeApp', { appId: app.id as string });
    const key = await perform(
      'consoleCreateKey',
      {},
      { name: 'CRM', channelIds: [channel.channelId], scopes: ['full'] },
    );
    await perform('consoleRevokeKey', { keyId: key.id as string });
  },

  'channels, carriers, routes and prices': async (perform, { heliograph }) => {
    const settings = { host: 'smsc.example.com', port: 2775, systemId: 'helio', password: 'smsc-password' };
    await perform('consoleCreateCarrier', {}, { name: 'smsc', type: 'smpp', settings, isActive: false });
    await perform('consoleChangeCarrier', { name: 'smsc' }, { set: { port: 2776, password: 'smsc-password' } });
    await perform('consoleCheckCarrier', { name: 'smsc' });
    // The private address cannot be reached, but the audit log still records the attempt.
    const webSettings = { url: 'http://127.0.0.1:9/send', authentication: 'bearer', secret: 'vendor-secret' };
    await perform('consoleCreateCarrier', {}, { name: 'web', type: 'http', settings: webSettings, isActive: false });
    await perform('consoleTryCarrier', { name: 'web' }, { from: 'Heliograph', to: '15005550010', text: 'Hello' });
    await perform('consoleRemoveCarrier', { name: 'web' });
    await heliograph.deps.prisma.keptReport.create({ data: buildKeptReport('smsc') });
    await perform('consoleReplayKeptReports', { name: 'smsc' }, {});
    const route = await perform('consoleCreateRoute', {}, { callingCode: '49', carriers: ['smsc'] });
    await perform('consoleRemoveRoute', { id: route.id as string });
    await perform('consoleCreateRateCard', {}, { id: 'euro', currency: 'EUR', sms: '0.05', whatsapp: '0.04' });
    await perform('consoleSetPrice', { card: 'euro' }, { kind: 'sms', callingCode: '49', price: '0.07' });
    await perform('consoleRemovePrice', { card: 'euro', kind: 'sms', callingCode: '49' });
    const body = { kind: 'sms', name: 'Second', phoneNumber: '4915112345678', carrier: 'simulator' };
    const { id: channelId } = await perform('consoleCreateChannel', {}, body);
    await perform('consoleSetChannelCarrier', { channelId: channelId as string }, { carrier: 'smsc' });
    await perform('consoleSwitchChannel', { channelId: channelId as string }, { isActive: false });
    await heliograph.deps.prisma.channel.update({
      where: { id: channelId },
      data: { pausedAt: new Date(), pauseCode: 'REFUSED', pauseReason: 'refused' },
    });
    await perform('consoleResumeChannel', { channelId: channelId as string });
    await perform('consoleDeleteChannel', { channelId: channelId as string }, { phoneNumber: body.phoneNumber });
    await perform('consoleRemoveCarrier', { name: 'smsc' });
  },

  'messages and conversations': async (perform, { heliograph, channel }) => {
    const request = { ...sendRequest(channel.account), scheduledAt: new Date(Date.now() + 3_600_000) };
    const [message] = (await heliograph.deps.acceptor.accept(request)).messages;
    await perform('consoleCancelMessage', { messageId: message?.id as string });
    await heliograph.deps.acceptor.accept(request);
    await perform('consoleCancelWaiting');
    const { conversationId } = await perform('consolePlayInbound', {}, { from: PHONE, text: 'Hi' });
    await perform('consoleMarkConversationRead', { conversationId: conversationId as string }, {});
    await perform('consoleSendReply', {}, { to: PHONE, message: 'Hello' });
    const bytes = Readable.from([Buffer.from('Hi')]);
    const owner = { accountId: channel.account.id, channelId: channel.channelId };
    const options = { ...heliograph.deps, ...heliograph.deps.media };
    const { media } = await uploadMedia(options, owner, { bytes, mimeType: 'text/plain', filename: null });
    await perform('consoleSendFile', {}, { to: PHONE, mediaId: media.id });
    await perform('consoleSendTemplate', {}, { to: PHONE, templateName: 'hello', language: 'en_US' });
  },

  'templates, campaigns and automations': async (perform, { heliograph, channel }) => {
    const components = [{ type: 'BODY', text: 'It leaves today.' }];
    const draft = { name: 'leaves', language: 'en_US', category: 'UTILITY', components };
    await perform('consoleCreateTemplate', {}, draft);
    const templateId = await addTemplate(heliograph, channel, { name: 'kept' });
    await perform('consoleEditTemplate', { templateId }, { components });
    await perform('consoleDeleteTemplate', { templateId });
    const data = Buffer.from('%PDF-1.7').toString('base64');
    await perform('consoleUploadTemplateExample', {}, { data });
    await perform('consoleSyncTemplates', {}, {});
    const group = await createGroup(heliograph.deps, channel);
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const campaign = { name: 'Sale', templateName: 'hello', language: 'en_US', groupId: group.id, scheduledAt };
    await perform('consoleEstimateCampaign', {}, campaign);
    const { id } = await perform('consoleCreateCampaign', {}, campaign);
    await perform('consoleUpdateCampaign', { id: id as string }, { name: 'Sale of the year' });
    await perform('consoleTestCampaign', { id: id as string }, { to: ['15005550111'] });
    for (const verb of ['Pause', 'Resume', 'Cancel']) await perform(`console${verb}Campaign`, { id: id as string });
    const automation = await perform(
      'consoleCreateAutomation',
      {},
      { name: 'W', steps: [{ type: 'wait', seconds: 60 }] },
    );
    const target = { id: automation.id as string };
    await perform('consoleUpdateAutomation', target, { name: 'Welcome' });
    const run = await perform('consoleTriggerAutomation', target, { phone: PHONE });
    await perform('consoleCancelAutomationRun', { ...target, runId: run.id as string });
    await perform('consoleDeleteAutomation', target);
  },

  webhooks: (perform) => changeWebhooks(perform, ''),

  'webhooks of the account': (perform) => changeWebhooks(perform, 'Account'),

  'contacts, groups, imports and opt-outs': async (perform, { channel }) => {
    const { id: firstContactId } = await perform('consoleCreateContact', {}, { phone: '15005550122', name: 'Ada' });
    const { id: secondContactId } = await perform('consoleCreateContact', {}, { phone: '15005550133' });
    await perform('consoleUpdateContact', { id: firstContactId as string }, { name: 'Ada King' });
    const { id: groupId } = await perform('consoleCreateGroup', {}, { name: 'Friends' });
    const target = { id: groupId as string };
    await perform('consoleUpdateGroup', target, { description: 'All of them' });
    await perform('consoleAddToGroup', target, { contactIds: [firstContactId, secondContactId] });
    await perform('consoleRemoveFromGroup', target, { contactIds: [firstContactId] });
    await perform('consoleAddFoundToGroup', target, { search: '' });
    await perform('consoleDeleteGroup', target);
    const condition = { field: 'tags', operator: 'has', value: 'vip' };
    await perform('consolePreviewAudience', {}, { condition });
    const { id: audienceId } = await perform('consoleCreateAudience', {}, { name: 'VIPs', condition });
    await perform('consoleUpdateAudience', { id: audienceId as string }, { name: 'Very important' });
    await perform('consoleDeleteAudience', { id: audienceId as string });
    const consent = { purpose: 'marketing', decision: 'granted' };
    await perform('consoleRecordConsent', { id: secondContactId as string }, consent);
    await perform('consoleCreateContactField', {}, { key: 'plan', label: 'Plan', type: 'text' });
    await perform('consoleUpdateContactField', { key: 'plan' }, { label: 'Tariff' });
    await perform('consoleTagContacts', {}, { contactIds: [firstContactId, secondContactId], add: ['vip'] });
    await perform('consoleTagContacts', {}, { contactIds: [firstContactId, secondContactId], remove: ['vip'] });
    await perform('consoleDeleteContactTag', { tag: 'vip' });
    await perform('consoleDeleteContactField', { key: 'plan' });
    await perform('consoleDeleteContact', { id: firstContactId as string });
    await perform('consoleDeleteContacts', {}, { contactIds: [secondContactId] });
    const { id } = await perform('consoleStartImport', {}, { fileName: 'people.csv', slices: 2, totalRows: 2 });
    await perform('consoleAddImportSlice', { id: id as string, position: '0' }, { rows: [{ row: 2, phone: PHONE }] });
    await perform('consoleDiscardImport', { id: id as string });
    const optOut = { kind: 'whatsapp', sender: channel.phoneNumber, phone: '15005550144' };
    await perform('consoleAddOptOut', {}, optOut);
    await perform('consoleLiftOptOut', {}, optOut);
    await perform('consoleSetOptOutWord', {}, { word: 'basta', meaning: 'stop' });
    await perform('consoleRemoveOptOutWord', { word: 'basta' });
    await perform('consoleSetLinkSettings', {}, { isOn: true, host: 'go.acme.example' });
    await perform('consoleCheckLinkDomain', {});
    await perform('consoleSetKeywordReplies', {}, { isOn: true, contact: 'help@acme.example' });
    await perform('consoleSetChannelKeywordReplies', {}, { isOn: false });
    const { id: hook } = await perform(
      'consoleAddSignInService',
      {},
      { type: 'auth0', appName: 'Acme', sender: 'Acme' },
    );
    await perform('consoleSetSignInSecret', { id: hook as string }, {});
    await perform('consoleRemoveSignInService', { id: hook as string });
  },
};

async function changeWebhooks(perform: PerformChange, kind: '' | 'Account'): Promise<void> {
  const body = { url: 'https://example.com/hook', events: ['message.status'] };
  const { id: webhookId } = await perform(`consoleCreate${kind}Webhook`, {}, body);
  const target = { id: webhookId as string };
  await perform(`consoleUpdate${kind}Webhook`, target, { events: ['message.received'] });
  const { id: deliveryId } = await perform(`consoleTest${kind}Webhook`, target);
  await perform(`consoleReplay${kind}WebhookDelivery`, { ...target, deliveryId: deliveryId as string });
  await perform(`consoleRotate${kind}WebhookSecret`, target);
  await perform(`consoleDelete${kind}Webhook`, target);
}
