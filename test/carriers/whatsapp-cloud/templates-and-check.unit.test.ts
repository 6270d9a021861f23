import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CheckedChannel, CheckStep } from '../../../src/carriers/carrier-type.js';
import { UNLOGGED } from '../../../src/carriers/http/client.js';
import { checkCloud } from '../../../src/carriers/whatsapp-cloud/check.js';
import type { CloudSettings } from '../../../src/carriers/whatsapp-cloud/settings.js';
import { run, runJson } from '../../cli/run.js';
import { CloudApi } from '../../support/carriers/cloud-api/cloud-api.js';
import { openTestStore } from '../../support/open-test-store.js';
import { openCloudCarrier, PHONE_NUMBER_ID } from './carrier.js';

let stub: CloudApi;

beforeEach(async () => {
  stub = new CloudApi();
  await stub.start();
});
afterEach(() => stub.stop());

const CHANNEL = { id: 'x', phoneNumber: '15550783881', carrierSettings: { phoneNumberId: PHONE_NUMBER_ID } };

describe('templates', () => {
  it('Cloud API templates are listed from all pages', async () => {
    const components = [{ type: 'BODY', text: 'Hello' }];
    const statuses = ['APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'IN_APPEAL', 'DISABLED', 'PENDING_DELETION'];
    stub.templates.push(
      ...Array.from({ length: 250 }, (_, index) => ({
        id: String(index),
        name: `template_${index}`,
        language: 'en_US',
        status: statuses[index % statuses.length] as string,
        category: 'UTILITY',
        components,
      })),
    );
    const templates = await openCloudCarrier(stub).listTemplates(CHANNEL);
    expect(stub.requests).toHaveLength(3);
    expect(templates.map(({ name }) => name)).toEqual(stub.templates.map(({ name }) => name));
    expect(templates.slice(0, 7).map(({ status }) => status)).toEqual([
      'APPROVED',
      'PENDING',
      'REJECTED',
      'PAUSED',
      'PENDING',
      'DISABLED',
      'DISABLED',
    ]);
    expect(templates[0]).toEqual({
      name: 'template_0',
      language: 'en_US',
      category: 'UTILITY',
      status: 'APPROVED',
      components,
    });
  });

  it('Cloud API templates are listed completely if the last page is full', async () => {
    const sharedFields = { id: '1', language: 'de', status: 'APPROVED', category: 'UTILITY', components: [] };
    stub.templates.push(...Array.from({ length: 100 }, (_, index) => ({ ...sharedFields, name: `t_${index}` })));
    expect(await openCloudCarrier(stub).listTemplates(CHANNEL)).toHaveLength(100);
    expect(stub.requests).toHaveLength(1);
  });

  it('Cloud API templates are created with numbered or named parameters', async () => {
    const carrier = openCloudCarrier(stub);
    const draft = { language: 'en_US', category: 'UTILITY' };
    const numberedBody = { type: 'BODY', text: 'Hi {{1}}', example: { body_text: [['Ada']] } };
    const namedBody = { type: 'BODY', text: 'Hi {{name}}', example: { body_text_named_params: [] } };
    await expect(
      carrier.createTemplate(CHANNEL, { ...draft, name: 'numbered', components: [numberedBody] }),
    ).resolves.toEqual({ status: 'PENDING' });
    await carrier.createTemplate(CHANNEL, { ...draft, name: 'named', components: [namedBody] });
    expect(stub.templates.map(({ parameter_format }) => parameter_format)).toEqual([undefined, 'NAMED']);
    const secondCreation = carrier.createTemplate(CHANNEL, { ...draft, name: 'named', components: [namedBody] });
    await expect(secondCreation).rejects.toMatchObject({ code: '100', retryable: false, message: /already content/ });
  });

  it('Cloud API templates are edited and deleted by Meta’s ID, one language at a time', async () => {
    const carrier = openCloudCarrier(stub);
    const components = [{ type: 'BODY', text: 'Hello' }];
    const sharedFields = { name: 'hello', status: 'APPROVED', category: 'UTILITY', components };
    stub.templates.push(
      { ...sharedFields, id: '11', language: 'de' },
      { ...sharedFields, id: '12', language: 'en_US' },
    );
    const editedComponents = [{ type: 'BODY', text: 'Good day' }];
    const english = { name: 'hello', language: 'en_US' };
    await carrier.editTemplate(CHANNEL, { ...english, components: editedComponents, category: null });
    expect(stub.templates).toMatchObject([
      { id: '11', status: 'APPROVED', components },
      { id: '12', status: 'PENDING', category: 'UTILITY', components: editedComponents },
    ]);
    const edit = carrier.editTemplate(CHANNEL, { ...english, components, category: 'MARKETING' });
    await expect(edit).rejects.toMatchObject({ code: '100', message: /cannot be edited/ });
    const unknown = carrier.editTemplate(CHANNEL, { name: 'bye', language: 'de', components, category: null });
    await expect(unknown).rejects.toMatchObject({ code: 'NO_TEMPLATE', retryable: false });

    await carrier.deleteTemplate(CHANNEL, english);
    expect(stub.templates.map(({ id }) => id)).toEqual(['11']);
    await carrier.deleteTemplate(CHANNEL, english);
    expect(stub.templates).toHaveLength(1);
  });

  it('Cloud API templates require a business account', async () => {
    const carrier = openCloudCarrier(stub, { businessAccountId: undefined });
    await expect(carrier.listTemplates(CHANNEL)).rejects.toMatchObject({ code: 'NOT_CONFIGURED', retryable: true });
    const settings = { ...CHANNEL.carrierSettings, businessAccountId: stub.businessAccountId };
    expect(await carrier.listTemplates({ ...CHANNEL, carrierSettings: settings })).toEqual([]);
  });
});

describe('check', () => {
  const createChannel = (settings: CheckedChannel['settings'], phoneNumber = '15550783881'): CheckedChannel => ({
    id: 'x',
    kind: 'whatsapp',
    phoneNumber,
    settings,
  });
  const goodChannel = createChannel({ phoneNumberId: PHONE_NUMBER_ID });
  const findLastStep = async (changes: Partial<CloudSettings> = {}, channels = [goodChannel]) => {
    const settings = { apiVersion: 'v26.0', ratePerSecond: 80, timeoutMs: 20_000, ...stub.settings, ...changes };
    const steps: CheckStep[] = [];
    const privateHosts = ['127.0.0.1'];
    for await (const step of checkCloud({ name: 'meta', settings, calls: UNLOGGED, privateHosts }, channels))
      steps.push(step);
    expect(JSON.stringify(steps)).not.toMatch(new RegExp(`${stub.token}|${stub.appSecret}`));
    return steps.at(-1);
  };

  beforeEach(() => {
    stub.subscription = { callback_url: 'https://sms.example.com/callbacks/whatsapp-cloud/meta', fields: ['messages'] };
  });

  it('the WhatsApp carrier check finds no problem with correct settings', async () => {
    expect(await findLastStep()).toEqual({ what: expect.stringContaining('/callbacks/'), problem: null });
    expect(stub.accepted).toEqual([]);
  });

  it.each<[string, Partial<CloudSettings>, string, RegExp]>([
    ['the token', { accessToken: 'EAAnother' }, 'accessToken', /refuses the access token/],
    ['the app secret', { appSecret: 'another' }, 'appSecret', /not the secret/],
    ['the version', { apiVersion: 'v1.0' }, 'apiVersion', /Unknown path/],
    ['the address', { baseUrl: 'http://127.0.0.1:1' }, 'baseUrl', /no connection/],
    ['the business account', { businessAccountId: '1' }, 'businessAccountId', /does not exist/],
    ['a missing business account', { businessAccountId: undefined }, 'businessAccountId', /neither/],
  ])('the WhatsApp carrier check reports a problem with %s', async (_, changes, setting, problem) => {
    expect(await findLastStep(changes)).toMatchObject({ setting, problem: expect.stringMatching(problem) });
  });

  it.each<[string, CheckedChannel[], RegExp]>([
    ['no channel', [], /no channel/],
    ['a channel without phoneNumberId', [createChannel(null)], /no phoneNumberId/],
    ['an unknown phoneNumberId', [createChannel({ phoneNumberId: '7' })], /does not exist/],
    [
      'a phoneNumberId of another object',
      [createChannel({ phoneNumberId: '102290129340398' })],
      /is not a phone number/,
    ],
    [
      'the phoneNumberId of another number',
      [createChannel({ phoneNumberId: PHONE_NUMBER_ID }, '15550000000')],
      /15550783881, not 1555/,
    ],
  ])('the WhatsApp carrier check reports a problem with %s', async (_, channels, problem) => {
    expect(await findLastStep({}, channels)).toMatchObject({ problem: expect.stringMatching(problem) });
  });

  it('the WhatsApp carrier check reports a missing permission, subscription, callback URL or field', async () => {
    stub.scopes = ['whatsapp_business_messaging'];
    expect(await findLastStep()).toMatchObject({ problem: expect.stringContaining('whatsapp_business_management') });
    stub.scopes.push('whatsapp_business_management');
    stub.subscribedApps = ['1'];
    expect(await findLastStep()).toMatchObject({ problem: expect.stringContaining('/subscribed_apps') });
    stub.subscribedApps.push(stub.appId);
    stub.subscription = {
      callback_url: 'https://sms.example.com/callbacks/whatsapp-cloud/other',
      fields: ['messages'],
    };
    expect(await findLastStep()).toMatchObject({ problem: expect.stringContaining('its path must be') });
    stub.subscription = { callback_url: 'https://sms.example.com/callbacks/whatsapp-cloud/meta', fields: [] };
    expect(await findLastStep()).toMatchObject({ problem: expect.stringContaining('the field messages') });
    stub.subscription = null;
    expect(await findLastStep()).toMatchObject({ problem: expect.stringContaining('no webhook') });
  });
});

describe('heliograph carrier check', () => {
  it('heliograph carrier check prints each step, and the setting that does not work', async () => {
    const store = await openTestStore();
    const env = { DATABASE_URL: store.url, META_TOKEN: stub.token, CARRIER_PRIVATE_HOSTS: '127.0.0.1' };
    const runForJson = <T>(...args: string[]) => runJson<T>(env, ...args);
    stub.subscription = { callback_url: 'https://sms.example.com/callbacks/whatsapp-cloud/meta', fields: ['messages'] };
    const settingValues = { ...stub.settings, accessToken: 'env:META_TOKEN' };
    const settings = Object.entries(settingValues).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
    await runForJson('carrier', 'add', 'meta', '--type', 'whatsapp-cloud', ...settings);
    const { id } = await runForJson<{ id: string }>('account', 'create', 'Owner');
    const channel = ['channel', 'create', '--account', id, '--name', 'Shop', '--carrier', 'meta'];
    await runForJson(...channel, '--phone', '15550783881', '--set', `phoneNumberId=${PHONE_NUMBER_ID}`);

    const passedRun = await run(env, 'carrier', 'check', 'meta');
    expect(passedRun).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok .*\nThe carrier meta works\.\n$/s) });
    const failedRun = await run({ ...env, META_TOKEN: 'EAAexpired' }, 'carrier', 'check', 'meta');
    expect(failedRun).toMatchObject({ code: 1, stdout: expect.stringContaining('(see the setting accessToken)') });
    for (const { stdout, stderr } of [passedRun, failedRun, await run(env, 'carrier', 'list')]) {
      expect(stdout + stderr).not.toMatch(new RegExp(`${stub.token}|${stub.appSecret}|EAAexpired`));
    }
    await store.close();
  });
});
