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

export type Did = (
  operationId: string,
  params?: Record<string, string>,
  body?: object,
  by?: TestOperator,
) => Promise<Data>;

export interface Scene {
  heliograph: TestApp;
  /** Has the template `hello`. */
  channel: TestChannel;
  issuerUrl: string;
}

export const NEW_PASSWORD = 'a new correct horse battery';
const PHONE = '15005550111';

/** Unsafe methods that change nothing lasting, or only parts of something already audited. */
export const NO_CHANGE: Readonly<Record<string, string>> = {
  consoleEstimateCampaign: 'only computes',
  consoleBeginOidc: 'a sign-in that only its end makes one',
  consoleBeginOidcLink: 'a link that only its end makes one',
  consoleAddImportSlice: 'a part of an import, whose start is a line',
};

function keptReport(carrier: string) {
  const id = newId();
  const body = Buffer.from('{}');
  const common = { kind: 'body:unknown', reason: 'unknown', ids: [], form: 'bare', receivedAt: new Date() };
  return { id, carrier, ...common, body, digest: Buffer.from(id) };
}

/** Creates held numbers for the account. @returns the ID of the hold */
async function heldNow({ deps }: TestApp, { account }: TestChannel): Promise<string> {
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

interface Described {
  operationId: string;
  requestBody?: { content: { 'application/json'?: { schema: { properties?: object } } } };
  parameters?: { in: string; name: string }[];
}

/** All changes by operation ID, from the document of the registered routes. */
export async function changesOf({ app }: Pick<TestApp, 'app'>): Promise<Map<string, Change>> {
  const { paths } = (await app.inject({ url: '/openapi.json' })).json();
  const changes = new Map<string, Change>();
  for (const [path, methods] of Object.entries<Record<string, Described>>(paths)) {
    if (!path.startsWith('/admin/v1')) continue;
    for (const [method, { operationId, requestBody, parameters = [] }] of Object.entries(methods)) {
      // Forms with files are tested by test/surfaces/admin/inbox-files.http.test.ts.
      if (method === 'get' || (requestBody && !requestBody.content['application/json'])) continue;
      changes.set(operationId, {
        method: method.toUpperCase() as Change['method'],
        path: path.slice('/admin/v1'.length),
        fields: Object.keys(requestBody?.content['application/json']?.schema.properties ?? {}),
        versioned: parameters.some((each) => each.in === 'header' && each.name === 'if-match'),
      });
    }
  }
  return changes;
}

/** A valid request of every operation, in an order that satisfies their dependencies. Suites fail for a missing one. */
export const CONSOLE_CHANGES: Readonly<Record<string, (did: Did, scene: Scene) => Promise<void>>> = {
  'who signs in': async (did, { heliograph, issuerUrl }) => {
    const other = await createTestOperator(heliograph, { password: PASSWORD });
    await did('consoleSignIn', {}, { name: other.name, password: PASSWORD }, other);
    await did('consoleEndOtherSessions', {}, undefined, other);
    await beginSession(heliograph.deps, other.id);
    const session = (await other.ask('GET', '/session/all'))
      .json()
      .data.find((each: { isThis: boolean }) => !each.isThis);
    await did('consoleEndOwnSession', { sessionId: session.id }, undefined, other);
    await did('consoleChangeOwnPassword', {}, { current: PASSWORD, password: NEW_PASSWORD }, other);
    await did('consoleConfirm', {}, { password: NEW_PASSWORD }, other);
    const { secret } = await did('consoleBeginSecondFactor', {}, undefined, other);
    // Each code works once, so every request uses a later period. The last one is left out, because it may end meanwhile.
    const code = (period: number) =>
      new TOTP({ secret: Secret.fromBase32(secret as string) }).generate({ timestamp: Date.now() + period * 30_000 });
    await did('consoleConfirmSecondFactor', {}, { code: code(0) }, other);
    const { recoveryCodes } = await did('consoleRenewRecoveryCodes', {}, { code: code(1) }, other);
    await did('consoleEndSecondFactor', {}, { code: recoveryCodes[0] }, other);
    await did('consoleBeginOidc', {}, {}, other);
    await did('consoleBeginOidcLink', {}, undefined, other);
    const linked = { oidcIssuer: issuerUrl, oidcSubject: 'x' };
    await heliograph.deps.prisma.operator.update({ where: { id: other.id }, data: linked });
    await did('consoleEndOidc', {}, undefined, other);
    const { url } = await did('consoleGiveLink', { operatorId: other.id });
    const [, token] = (url as string).split('token=');
    await did('consoleSignInByLink', {}, { token }, other);
    await did('consoleSignOut', {}, undefined, other);
  },

  'operators and their roles': async (did) => {
    const { id: operatorId } = await did(
      'consoleCreateOperator',
      {},
      { name: 'ada', grants: [{ role: 'viewer', accountId: null }] },
    );
    const of = { operatorId: operatorId as string };
    await did('consoleSetGrants', of, { grants: [{ role: 'developer', accountId: null }] });
    await did('consoleResetOperator', of);
    await did('consoleSwitchOperator', of, { isActive: false });
    await did('consoleRemoveOperator', of);
    const { id } = await did('consoleAddMember', {}, { name: 'bob', role: 'viewer' });
    await did('consoleSetMemberRole', { operatorId: id as string }, { role: 'developer' });
    await did('consoleRemoveMember', { operatorId: id as string });
  },

  'accounts, money and keys': async (did, { heliograph, channel }) => {
    const { id: accountId } = await did('consoleCreateAccount', {}, { name: 'Shop' });
    await did('consoleChangeAccount', { accountId: accountId as string }, { isActive: false });
    await did('consoleChangeAccountSettings', {}, { lowBalance: '5' });
    await did('consoleCreditAccount', {}, { amount: '1.5', note: 'paid' });
    await did('consoleCorrectCredit', {}, { amount: '0.5', note: 'a slip' });
    const guard = { allowed: ['US'], refusesRisky: true, limits: [], watch: null };
    await did('consoleSetGuard', {}, { guard });
    await did('consoleReleaseHold', { holdId: await heldNow(heliograph, channel) });
    const app = await did('consoleCreateApp', {}, { name: 'Web shop', scopes: ['rest'] });
    await did('consoleSetKeyGuard', { keyId: app.id as string }, { guard });
    await did('consoleRevokeApp', { appId: app.id as string });
    const key = await did('consoleCreateKey', {}, { name: 'CRM', channelIds: [channel.channelId], scopes: ['full'] });
    await did('consoleRevokeKey', { keyId: key.id as string });
  },

  'channels, carriers, routes and prices': async (did, { heliograph }) => {
    const settings = { host: 'smsc.example.com', port: 2775, systemId: 'helio', password: 'smsc-password' };
    await did('consoleCreateCarrier', {}, { name: 'smsc', type: 'smpp', settings, isActive: false });
    await did('consoleChangeCarrier', { name: 'smsc' }, { set: { port: 2776, password: 'smsc-password' } });
    await did('consoleCheckCarrier', { name: 'smsc' });
    // A private address cannot be reached, but the attempt is still audited.
    const web = { url: 'http://127.0.0.1:9/send', authentication: 'bearer', secret: 'vendor-secret' };
    await did('consoleCreateCarrier', {}, { name: 'web', type: 'http', settings: web, isActive: false });
    await did('consoleTryCarrier', { name: 'web' }, { from: 'Heliograph', to: '15005550010', text: 'Hello' });
    await did('consoleRemoveCarrier', { name: 'web' });
    await heliograph.deps.prisma.keptReport.create({ data: keptReport('smsc') });
    await did('consoleReplayKeptReports', { name: 'smsc' }, {});
    const route = await did('consoleCreateRoute', {}, { callingCode: '49', carriers: ['smsc'] });
    await did('consoleRemoveRoute', { id: route.id as string });
    await did('consoleCreateRateCard', {}, { id: 'euro', currency: 'EUR', sms: '0.05', whatsapp: '0.04' });
    await did('consoleSetPrice', { card: 'euro' }, { kind: 'sms', callingCode: '49', price: '0.07' });
    await did('consoleRemovePrice', { card: 'euro', kind: 'sms', callingCode: '49' });
    const body = { kind: 'sms', name: 'Second', phoneNumber: '4915112345678', carrier: 'simulator' };
    const { id: channelId } = await did('consoleCreateChannel', {}, body);
    await did('consoleSetChannelCarrier', { channelId: channelId as string }, { carrier: 'smsc' });
    await did('consoleSwitchChannel', { channelId: channelId as string }, { isActive: false });
    await heliograph.deps.prisma.channel.update({
      where: { id: channelId },
      data: { pausedAt: new Date(), pauseCode: 'REFUSED', pauseReason: 'refused' },
    });
    await did('consoleResumeChannel', { channelId: channelId as string });
    await did('consoleDeleteChannel', { channelId: channelId as string }, { phoneNumber: body.phoneNumber });
    await did('consoleRemoveCarrier', { name: 'smsc' });
  },

  'messages and conversations': async (did, { heliograph, channel }) => {
    const request = { ...sendRequest(channel.account), scheduledAt: new Date(Date.now() + 3_600_000) };
    const [message] = (await heliograph.deps.acceptor.accept(request)).messages;
    await did('consoleCancelMessage', { messageId: message?.id as string });
    await heliograph.deps.acceptor.accept(request);
    await did('consoleCancelWaiting');
    const { conversationId } = await did('consolePlayInbound', {}, { from: PHONE, text: 'Hi' });
    await did('consoleMarkConversationRead', { conversationId: conversationId as string }, {});
    await did('consoleSendReply', {}, { to: PHONE, message: 'Hello' });
    const bytes = Readable.from([Buffer.from('Hi')]);
    const owner = { accountId: channel.account.id, channelId: channel.channelId };
    const options = { ...heliograph.deps, ...heliograph.deps.media };
    const { media } = await uploadMedia(options, owner, { bytes, mimeType: 'text/plain', filename: null });
    await did('consoleSendFile', {}, { to: PHONE, mediaId: media.id });
    await did('consoleSendTemplate', {}, { to: PHONE, templateName: 'hello', language: 'en_US' });
  },

  'templates, campaigns and automations': async (did, { heliograph, channel }) => {
    const components = [{ type: 'BODY', text: 'It leaves today.' }];
    const draft = { name: 'leaves', language: 'en_US', category: 'UTILITY', components };
    await did('consoleCreateTemplate', {}, draft);
    const templateId = await addTemplate(heliograph, channel, { name: 'kept' });
    await did('consoleEditTemplate', { templateId }, { components });
    await did('consoleDeleteTemplate', { templateId });
    const data = Buffer.from('%PDF-1.7').toString('base64');
    await did('consoleUploadTemplateExample', {}, { data });
    await did('consoleSyncTemplates', {}, {});
    const group = await createGroup(heliograph.deps, channel);
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const campaign = { name: 'Sale', templateName: 'hello', language: 'en_US', groupId: group.id, scheduledAt };
    await did('consoleEstimateCampaign', {}, campaign);
    const { id } = await did('consoleCreateCampaign', {}, campaign);
    for (const verb of ['Pause', 'Resume', 'Cancel']) await did(`console${verb}Campaign`, { id: id as string });
    const automation = await did('consoleCreateAutomation', {}, { name: 'W', steps: [{ type: 'wait', seconds: 60 }] });
    const of = { id: automation.id as string };
    await did('consoleUpdateAutomation', of, { name: 'Welcome' });
    const run = await did('consoleTriggerAutomation', of, { phone: PHONE });
    await did('consoleCancelAutomationRun', { ...of, runId: run.id as string });
    await did('consoleDeleteAutomation', of);
  },

  webhooks: (did) => webhooks(did, ''),

  'webhooks of the account': (did) => webhooks(did, 'Account'),

  'contacts, groups, imports and opt-outs': async (did, { channel }) => {
    const { id: one } = await did('consoleCreateContact', {}, { phone: '15005550122', name: 'Ada' });
    const { id: two } = await did('consoleCreateContact', {}, { phone: '15005550133' });
    await did('consoleUpdateContact', { id: one as string }, { name: 'Ada King' });
    const { id: group } = await did('consoleCreateGroup', {}, { name: 'Friends' });
    const of = { id: group as string };
    await did('consoleUpdateGroup', of, { description: 'All of them' });
    await did('consoleAddToGroup', of, { contactIds: [one, two] });
    await did('consoleRemoveFromGroup', of, { contactIds: [one] });
    await did('consoleAddFoundToGroup', of, { search: '' });
    await did('consoleDeleteGroup', of);
    await did('consoleDeleteContact', { id: one as string });
    await did('consoleDeleteContacts', {}, { contactIds: [two] });
    const { id } = await did('consoleStartImport', {}, { fileName: 'people.csv', slices: 2, totalRows: 2 });
    await did('consoleAddImportSlice', { id: id as string, position: '0' }, { rows: [{ row: 2, phone: PHONE }] });
    await did('consoleDiscardImport', { id: id as string });
    const optOut = { kind: 'whatsapp', sender: channel.phoneNumber, phone: '15005550144' };
    await did('consoleAddOptOut', {}, optOut);
    await did('consoleLiftOptOut', {}, optOut);
    await did('consoleSetOptOutWord', {}, { word: 'basta', meaning: 'stop' });
    await did('consoleRemoveOptOutWord', { word: 'basta' });
    const { id: hook } = await did('consoleAddSignInService', {}, { type: 'auth0', appName: 'Acme', sender: 'Acme' });
    await did('consoleSetSignInSecret', { id: hook as string }, {});
    await did('consoleRemoveSignInService', { id: hook as string });
  },
};

async function webhooks(did: Did, kind: '' | 'Account'): Promise<void> {
  const body = { url: 'https://example.com/hook', events: ['message.status'] };
  const { id: made } = await did(`consoleCreate${kind}Webhook`, {}, body);
  const of = { id: made as string };
  await did(`consoleUpdate${kind}Webhook`, of, { events: ['message.received'] });
  const { id: deliveryId } = await did(`consoleTest${kind}Webhook`, of);
  await did(`consoleReplay${kind}WebhookDelivery`, { ...of, deliveryId: deliveryId as string });
  await did(`consoleRotate${kind}WebhookSecret`, of);
  await did(`consoleDelete${kind}Webhook`, of);
}
