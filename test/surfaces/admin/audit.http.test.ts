import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addTemplate, createGroup, createTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import {
  expectForeignFieldsRefused,
  expectNoIdBreaks,
  expectNothingWithoutLine,
  pathOf,
} from '../../support/console-attacks.js';
import { CLIENT, openIssuer } from '../../support/oidc-issuer.js';
import { beginSession, createTestOperator, type TestOperator } from '../../support/operators.js';
import { sendRequest } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';

/** What the answer of an operation holds, as far as a later one needs it. */
type Data = Record<string, string> & { recoveryCodes: string[] };

/** What the document says of an operation. */
interface Described {
  operationId: string;
  requestBody?: { content: { 'application/json': { schema: { properties?: object } } } };
}

/** Unsafe by their method, but they change nothing that lasts, or a part of what has a line already. */
const NO_CHANGE: Readonly<Record<string, string>> = {
  consoleEstimateCampaign: 'only computes',
  consoleBeginOidc: 'a sign-in that only its end makes one',
  consoleBeginOidcLink: 'a link that only its end makes one',
  consoleAddImportSlice: 'a part of an import, whose start is a line',
};

// Nothing sends here, so that everything stays as it was made.
const issuer = await openIssuer();
afterAll(() => issuer.close());
const heliograph = suiteApp({
  role: 'api',
  settings: {
    SEND_WAIT_MS: '1',
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
  },
});
const PASSWORD = 'correct horse battery';
const NEW_PASSWORD = 'a new correct horse battery';
const PHONE = '15005550111';
/** Operations by their id, as the document of the registered routes has them. */
const operations = new Map<
  string,
  { method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'; path: string; fields: readonly string[] }
>();
const walked = new Set<string>();
/** What answers showed this once, and what was given as a secret. */
const secrets: string[] = [PASSWORD, NEW_PASSWORD, 'smsc-password'];
let channel: TestChannel;
let owner: TestOperator;
let params: Record<string, string>;

beforeAll(async () => {
  const { paths } = (await heliograph.app.inject({ url: '/openapi.json' })).json();
  for (const [path, methods] of Object.entries<Record<string, Described>>(paths)) {
    if (!path.startsWith('/admin/v1')) continue;
    for (const [method, { operationId, requestBody }] of Object.entries(methods)) {
      if (method === 'get') continue;
      const fields = Object.keys(requestBody?.content['application/json'].schema.properties ?? {});
      const relative = path.slice('/admin/v1'.length);
      operations.set(operationId, { method: method.toUpperCase() as 'POST', path: relative, fields });
    }
  }
  channel = await createTestChannel(heliograph.deps);
  await createTemplate(heliograph.deps, channel);
  owner = await createTestOperator(heliograph, { password: PASSWORD });
  params = { accountId: channel.account.id, channelId: channel.channelId };
});

const linesOf = (actorName: string) => heliograph.deps.prisma.auditLine.findMany({ where: { actorName } });

const SIGNS_IN = ['consoleSignIn', 'consoleSignInByLink'];

/**
 * Makes a request that must succeed, and leave a line of the audit log that says who made it, and from where. Before, that
 * with fields which are not its own it changes nothing, that ids of any kind break nothing, and that nothing is changed
 * where the line cannot be written.
 */
async function did(operationId: string, more: Record<string, string> = {}, body?: object, by = owner): Promise<Data> {
  const operation = operations.get(operationId);
  if (!operation) throw new Error(`no route has ${operationId}`);
  const { method, path: pattern, fields } = operation;
  const request = { name: operationId, pattern, params: { ...params, ...more }, body, fields };
  // In a browser of its own: else it would end the session with which the walk goes on, which is a change more.
  const { cookie: _, ...headers } = by.headers;
  const signIn = (path: string, payload: object | undefined) =>
    heliograph.app.inject({ method: 'POST', url: `/admin/v1${path}`, headers, ...(payload && { payload }) });
  const ask = (path: string, sent: object | undefined) =>
    SIGNS_IN.includes(operationId) ? signIn(path, sent) : by.ask(method, path, sent);
  await expectForeignFieldsRefused(heliograph.deps.pool, { ...request, ask });
  await expectNoIdBreaks({ ...request, ask });
  if (!(operationId in NO_CHANGE)) {
    await expectNothingWithoutLine(heliograph.deps.pool, { ...request, ask });
  }
  const before = (await linesOf(by.name)).length;
  const response = await ask(pathOf(request), body);
  expect(response.statusCode, `${operationId}: ${response.body}`).toBe(200);
  walked.add(operationId);
  const { data } = response.json();
  const { key, secret, uri, link, recoveryCodes } = data;
  for (const each of [key, secret, uri, link?.url?.split('token=')[1], data.url?.split('token=')[1]]) {
    if (each) secrets.push(each);
  }
  secrets.push(...(recoveryCodes ?? []));
  const lines = await linesOf(by.name);
  const added = lines.length - before;
  expect(added, `lines of ${operationId}`).toBe(operationId in NO_CHANGE ? 0 : 1);
  for (const { actorKind, address, action } of lines) {
    expect([actorKind, address, action]).toEqual(['operator', '127.0.0.1', expect.stringMatching(/^[\w-]+\.[\w-]+$/)]);
  }
  return data;
}

describe('a line of the audit log is left by every change of', () => {
  it('who signs in', async () => {
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
    // No code is good twice, so each is that of a later period.
    const code = (period: number) =>
      new TOTP({ secret: Secret.fromBase32(secret as string) }).generate({ timestamp: Date.now() + period * 30_000 });
    await did('consoleConfirmSecondFactor', {}, { code: code(-1) }, other);
    const { recoveryCodes } = await did('consoleRenewRecoveryCodes', {}, { code: code(0) }, other);
    await did('consoleEndSecondFactor', {}, { code: recoveryCodes[0] }, other);
    await did('consoleBeginOidc', {}, {}, other);
    await did('consoleBeginOidcLink', {}, undefined, other);
    const linked = { oidcIssuer: issuer.url, oidcSubject: 'x' };
    await heliograph.deps.prisma.operator.update({ where: { id: other.id }, data: linked });
    await did('consoleEndOidc', {}, undefined, other);
    const { url } = await did('consoleGiveLink', { operatorId: other.id });
    const [, token] = (url as string).split('token=');
    await did('consoleSignInByLink', {}, { token }, other);
    await did('consoleSignOut', {}, undefined, other);
  });

  it('operators and their roles', async () => {
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
  });

  it('accounts, money and keys', async () => {
    const { id: accountId } = await did('consoleCreateAccount', {}, { name: 'Shop' });
    await did('consoleChangeAccount', { accountId: accountId as string }, { isActive: false });
    await did('consoleChangeAccountSettings', {}, { lowBalance: '5' });
    await did('consoleCreditAccount', {}, { amount: '1.5', note: 'paid' });
    await did('consoleCorrectCredit', {}, { amount: '0.5', note: 'a slip' });
    const app = await did('consoleCreateApp', {}, { name: 'Web shop', scopes: ['rest'] });
    await did('consoleRevokeApp', { appId: app.id as string });
    const key = await did('consoleCreateKey', {}, { name: 'CRM', channelIds: [channel.channelId], scopes: ['full'] });
    await did('consoleRevokeKey', { keyId: key.id as string });
  });

  it('channels, carriers, routes and prices', async () => {
    const settings = { host: 'smsc.example.com', port: 2775, systemId: 'helio', password: 'smsc-password' };
    await did('consoleCreateCarrier', {}, { name: 'smsc', type: 'smpp', settings, isActive: false });
    await did('consoleChangeCarrier', { name: 'smsc' }, { set: { port: 2776, password: 'smsc-password' } });
    await did('consoleCheckCarrier', { name: 'smsc' });
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
  });

  it('messages and conversations', async () => {
    const request = { ...sendRequest(channel.account), scheduledAt: new Date(Date.now() + 3_600_000) };
    const [message] = (await heliograph.deps.acceptor.accept(request)).messages;
    await did('consoleCancelMessage', { messageId: message?.id as string });
    await heliograph.deps.acceptor.accept(request);
    await did('consoleCancelWaiting');
    const { conversationId } = await did('consolePlayInbound', {}, { from: PHONE, text: 'Hi' });
    await did('consoleMarkConversationRead', { conversationId: conversationId as string }, {});
    await did('consoleSendReply', {}, { to: PHONE, message: 'Hello' });
    await did('consoleSendTemplate', {}, { to: PHONE, templateName: 'hello', language: 'en_US' });
  });

  it('templates, campaigns and automations', async () => {
    const components = [{ type: 'BODY', text: 'It leaves today.' }];
    const draft = { name: 'leaves', language: 'en_US', category: 'UTILITY', components };
    await did('consoleCreateTemplate', {}, draft);
    const templateId = await addTemplate(heliograph, channel, { name: 'kept' });
    await did('consoleEditTemplate', { templateId }, { components });
    await did('consoleDeleteTemplate', { templateId });
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
  });

  it.each(['', 'Account'])('webhooks, %s', async (kind) => {
    const body = { url: 'https://example.com/hook', events: ['message.status'] };
    const { id: made } = await did(`consoleCreate${kind}Webhook`, {}, body);
    const of = { id: made as string };
    await did(`consoleUpdate${kind}Webhook`, of, { events: ['message.received'] });
    const { id: deliveryId } = await did(`consoleTest${kind}Webhook`, of);
    await did(`consoleReplay${kind}WebhookDelivery`, { ...of, deliveryId: deliveryId as string });
    await did(`consoleRotate${kind}WebhookSecret`, of);
    await did(`consoleDelete${kind}Webhook`, of);
  });

  it('contacts, groups, imports and opt-outs', async () => {
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
  });

  it('anything that a route can change', () => {
    expect([...operations.keys()].filter((each) => !walked.has(each))).toEqual([]);
  });

  it('and no secret is in any line', async () => {
    const text = JSON.stringify(await heliograph.deps.prisma.auditLine.findMany());
    expect(secrets.length).toBeGreaterThan(15);
    expect(secrets.filter((each) => text.includes(each))).toEqual([]);
  });
});
