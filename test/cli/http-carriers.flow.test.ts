import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { VendorStub } from '../support/carriers/vendor/vendor-stub.js';
import { commandsOnTestStore } from './run.js';

const commands = commandsOnTestStore({ env: { CARRIER_PRIVATE_HOSTS: '127.0.0.1', TWILIO_TOKEN: 'the-auth-token' } });
const { cli, json } = commands;
const ACCOUNT = `AC${'0'.repeat(32)}`;
const vendor = new VendorStub();

beforeAll(async () => {
  await vendor.start();
  const settings = ['--set', `accountSid=${ACCOUNT}`, '--set', 'authToken=env:TWILIO_TOKEN'];
  const options = [
    '--set',
    `baseUrl=${vendor.url}`,
    '--set',
    'publicUrl=https://sms.example.com',
    '--set',
    'parallel=5',
  ];
  const result = await cli('carrier', 'add', 'tw', '--type', 'http', '--preset', 'twilio', ...settings, ...options);
  expect(result.stdout).toMatch(/^Created carrier tw \(http\)\. Test it: carrier check tw\n/);
  expect(result.stdout).toContain('Enter the URL for messages at each number or messaging service.');
});
afterAll(() => vendor.stop());
beforeEach(() => {
  vendor.requests.length = 0;
  vendor.respond = ({ path }) =>
    path.endsWith('/Balance.json')
      ? { status: 200, body: { balance: '12.34', currency: 'USD' } }
      : { status: 201, body: { sid: 'SM1' } };
});

describe('heliograph carrier for HTTP vendors', () => {
  it('types lists the settings of each preset', async () => {
    const { stdout } = await cli('carrier', 'types');
    expect(stdout).toMatch(/\nhttp --preset twilio +accountSid +required +Account SID\.\n/);
    expect(stdout).toMatch(
      /\nhttp --preset kannel +password +required +Password of that user\. Secret: may be env:NAME/,
    );
    expect(stdout).toMatch(/\nhttp +url +required +URL that sends a message/);
  });

  it('show prints the URLs to enter at the vendor', async () => {
    const { stdout } = await cli('carrier', 'show', 'tw');
    expect(stdout.split('\n')).toEqual([
      'tw: http, on',
      '  preset  twilio',
      `  baseUrl  ${vendor.url}`,
      '  parallel  5',
      '  authToken  env:TWILIO_TOKEN',
      '  publicUrl  https://sms.example.com',
      `  accountSid  ${ACCOUNT}`,
      'URL for receipts: https://sms.example.com/callbacks/http/tw/receipts',
      'URL for messages: https://sms.example.com/callbacks/http/tw/inbound',
      expect.stringMatching(/^Use the Account SID and its auth token; .* at each number or messaging service\.$/),
      '',
    ]);
    expect(await json('carrier', 'show', 'tw')).toMatchObject({ entries: [{ what: 'URL for receipts' }, {}] });
    expect((await cli('carrier', 'show', 'nobody')).code).toBe(1);
  });

  it('check tests host and credentials without sending a message', async () => {
    expect((await cli('carrier', 'check', 'tw')).stdout).toBe(
      `ok      the settings\nok      reach ${vendor.url}\nok      read the balance: 12.34 USD\nThe carrier tw works.\n`,
    );
    expect(vendor.requests.map(({ path }) => path)).toEqual(['/', `/2010-04-01/Accounts/${ACCOUNT}/Balance.json`]);
    vendor.respond = () => ({ status: 401 });
    const refused = await cli('carrier', 'check', 'tw');
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('FAILED  read the balance: the response has HTTP status 401');
    const guarded = await commands.cliWith({ CARRIER_PRIVATE_HOSTS: '' }, 'carrier', 'check', 'tw');
    expect(guarded.stdout).toContain('has a private address; to allow it, add the host to CARRIER_PRIVATE_HOSTS');
  });

  it('check does not claim that a carrier works if its credentials cannot be tested', async () => {
    const settings = ['username=u', 'password=wrong', `baseUrl=${vendor.url}`].flatMap((setting) => ['--set', setting]);
    await cli('carrier', 'add', 'untried', '--type', 'http', '--preset', 'kannel', '--off', ...settings);
    vendor.respond = () => ({ status: 404 });
    const checked = await cli('carrier', 'check', 'untried');
    expect(checked.code).toBe(0);
    expect(checked.stdout).toContain(`ok      reach ${vendor.url}\n-       credentials not checked: Kannel`);
    expect(checked.stdout).toContain('The carrier untried is reachable, but its credentials were not tested.');
    expect(checked.stdout).not.toContain('works');
    const { steps } = (await json('carrier', 'check', 'untried')) as { steps: object[] };
    expect(steps.at(-1)).toMatchObject({ problem: null, isUntried: true });
    await cli('carrier', 'remove', 'untried');
  });

  it('try sends a message and shows the request and response', async () => {
    const message = ['--to', '+15005550010', '--from', 'ACME', '--text', 'Hello'];
    const { code, stdout } = await cli('carrier', 'try', 'tw', ...message);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^POST http:\S+Messages\.json {2}201 in \d+ ms\n {2}> To=%2B15005550010&From=ACME&Body=Hello&/,
    );
    expect(stdout).toMatch(/\n {2}< {"sid":"SM1"}\nok {6}accepted as SM1\n$/);
    vendor.respond = () => ({ status: 400, body: { code: 21211, message: 'not the-auth-token' } });
    const refused = await cli('carrier', 'try', 'tw', ...message);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('FAILED  21211: Twilio refused the message with 21211: not ***');
    expect(refused.stdout).not.toContain('the-auth-token');
    const invalid = await cli('carrier', 'try', 'tw', '--to', '12', '--from', 'ACME');
    expect(invalid.stderr).toContain('to must be a phone number');
    expect(vendor.requests).toHaveLength(2);
  });

  it('set converts settings as the preset defines them', async () => {
    expect((await cli('carrier', 'set', 'tw', '--set', 'parallel=7')).code).toBe(0);
    expect(await json('carrier', 'show', 'tw')).toMatchObject({ settings: { parallel: 7 } });
    const refused = await cli('carrier', 'set', 'tw', '--set', 'url=https://elsewhere.example');
    expect(refused.stderr).toContain('url is not a setting; valid settings: preset, accountSid');
  });
});
