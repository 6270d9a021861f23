import { beforeAll, describe, expect, it } from 'vitest';
import { createTestAccount, type TestAccount } from '../support/accounts.js';
import { suiteApp } from '../support/suite.js';
import { waitFor } from '../support/wait-for.js';
import { post } from '../surfaces/a/requests.js';
import { run, runJson } from './run.js';

const SECRET = 'a secret of the test of at least 32 characters';
const heliograph = suiteApp({ settings: { VERIFICATION_SECRET: SECRET } });
const env = () => ({ DATABASE_URL: heliograph.databaseUrl, VERIFICATION_SECRET: SECRET });
let account: TestAccount;

interface ShownCode {
  code: string;
  text: string;
  recipient: string;
  messageId: string;
}
const listCodes = (...args: string[]) => runJson<ShownCode[]>(env(), 'simulator', 'codes', ...args);

async function send(to: string, fields: object = {}): Promise<string> {
  const body = { from: 'Acme', app_name: 'Acme', to, ...fields };
  const response = await post(heliograph.app, '/v2/verifications', account, body);
  expect(response.statusCode, response.body).toBe(200);
  const id: string = response.json().data.message_id;
  await waitFor('the carrier', async () => {
    const { sentAt } = await heliograph.deps.prisma.message.findUniqueOrThrow({ where: { id } });
    return sentAt;
  });
  return id;
}
const check = (to: string, code: string) => post(heliograph.app, '/v2/verifications/check', account, { to, code });

beforeAll(async () => {
  account = await createTestAccount(heliograph.deps);
});

describe('heliograph simulator codes', () => {
  it('shows the code and text of a message until the code is used', async () => {
    const to = '15005552301';
    const messageId = await send(to, { domain: 'example.com' });
    const [shownCode] = await listCodes('--to', '+1 500 555 2301');
    expect(shownCode).toMatchObject({ recipient: to, messageId, code: expect.stringMatching(/^\d{6}$/) });
    const { code, text } = shownCode as ShownCode;
    expect(text).toBe(`Your Acme code is ${code}. Do not share it with anyone.\n\n@example.com #${code}`);
    const table = await run(env(), 'simulator', 'codes');
    expect(table.stdout).toMatch(new RegExp(`^${to} +${code} `, 'm'));
    expect((await check(to, code)).json().data.valid).toBe(true);
    expect(await listCodes('--to', to)).toEqual([]);
    expect((await run(env(), 'simulator', 'codes', '--to', to)).stdout).toBe(
      'There are no valid codes from simulators.\n',
    );
  });

  it('accepts an account filter and rejects an invalid number', async () => {
    await send('15005552302');
    const foreignAccount = await createTestAccount(heliograph.deps);
    expect(await listCodes('--account', foreignAccount.id)).toEqual([]);
    expect(await listCodes('--account', account.id)).not.toEqual([]);
    expect((await run(env(), 'simulator', 'codes', '--to', 'nobody')).stderr).toContain('must be a phone number');
  });

  it('does not show a code that another carrier also received', async () => {
    const to = '15005552303';
    const id = await send(to);
    await send(to);
    expect(await listCodes('--to', to)).toHaveLength(2);
    await heliograph.deps.prisma.message.update({ where: { id }, data: { carrier: 'smsc' } });
    expect(await listCodes('--to', to)).toEqual([]);
  });

  it('names the setting when a code was encrypted with another secret', async () => {
    await send('15005552304');
    const otherSettings = { ...env(), VERIFICATION_SECRET: 'another secret of the test, of 32 characters' };
    const { code, stderr } = await run(otherSettings, 'simulator', 'codes', '--to', '15005552304');
    expect(code).toBe(1);
    expect(stderr).toContain('VERIFICATION_SECRET');
  });
});
