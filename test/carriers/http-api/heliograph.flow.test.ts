import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatMoney } from '../../../src/accounts/money.js';
import { UNLOGGED } from '../../../src/carriers/http/client.js';
import { checkHttp } from '../../../src/carriers/http-api/check.js';
import { httpType } from '../../../src/carriers/http-api/type.js';
import { checkSettings } from '../../../src/carriers/settings.js';
import { addCarrier } from '../../../src/carriers/setup/carriers.js';
import { newId } from '../../../src/platform/ids.js';
import { toSid } from '../../../src/platform/text/sids.js';
import { createTestAccount, readBalance, type TestAccount } from '../../support/accounts.js';
import { accept } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

/** Two servers; the first one sends through the second. */
const first = suiteApp({ settings: { CARRIER_PRIVATE_HOSTS: '127.0.0.1' } });
const second = suiteApp({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
let account: TestAccount;
let otherAccount: TestAccount;

beforeAll(async () => {
  const publicUrl = await first.app.listen({ host: '127.0.0.1', port: 0 });
  const baseUrl = await second.app.listen({ host: '127.0.0.1', port: 0 });
  account = await createTestAccount(first.deps);
  otherAccount = await createTestAccount(second.deps);
  const { secret } = (
    await second.app.inject({ method: 'POST', url: '/v2/callback-secret', headers: otherAccount.headers })
  ).json().data;
  const settings = { preset: 'heliograph', baseUrl, publicUrl, apiKey: otherAccount.apiKey, webhookSecret: secret };
  await addCarrier(first.deps.prisma, { name: 'second', type: 'http', settings });
  await first.deps.prisma.route.create({ data: { id: newId(), accountId: account.id, carriers: ['second'] } });
  await Promise.all([first.deps.carriers.reload(), first.deps.routing.reload()]);
});
afterAll(async () => {
  await first.deps.carriers.close(AbortSignal.timeout(5_000));
});

describe('a Heliograph that sends through another one', () => {
  const rows = (ids: string[]) => first.deps.prisma.message.findMany({ where: { id: { in: ids } } });

  it('sends each message once, and learns its status from signed callbacks', async () => {
    const to = Array.from({ length: 50 }, (_, each) => `4915100${String(each).padStart(6, '0')}`);
    const ids = await accept(first.deps, account, { to });
    await waitFor('all to be delivered', async () => (await rows(ids)).every(({ status }) => status === 'delivered'));
    const sent = await second.deps.prisma.message.findMany({ where: { accountId: otherAccount.id } });
    expect(sent.map(({ recipient }) => recipient).sort()).toEqual(to);
    expect(new Set((await rows(ids)).map(({ carrierMessageId }) => carrierMessageId))).toEqual(
      new Set(sent.map(({ id }) => id)),
    );
    expect(new Set(sent.map(({ reference }) => reference))).toEqual(new Set(ids));
  });

  it('passes the check of the Twilio preset, which reads the balance', async () => {
    const { port } = second.app.server.address() as AddressInfo;
    const check = async (authToken: string) => {
      const own = { preset: 'twilio', baseUrl: `http://127.0.0.1:${port}`, publicUrl: 'https://heliograph.example' };
      const settings = checkSettings(httpType, { ...own, accountSid: toSid('AC', otherAccount.id), authToken });
      const context = { name: 'v', settings, calls: UNLOGGED, clock: first.deps.clock, privateHosts: ['127.0.0.1'] };
      const steps: [string, string | null][] = [];
      for await (const { what, problem } of checkHttp({ ...context, log: pino({ level: 'silent' }) }))
        steps.push([what, problem]);
      return steps.slice(1);
    };
    const balance = formatMoney(await readBalance(second.deps, otherAccount.id));
    expect(await check(otherAccount.apiKey)).toEqual([[`read the balance: ${balance} USD`, null]]);
    expect(await check('wrong')).toEqual([['read the balance', 'the response has HTTP status 401']]);
  });

  it('refunds a message that the other server refuses', async () => {
    const before = await readBalance(first.deps, account.id);
    const [undelivered] = await accept(first.deps, account, { to: '15005550002' });
    await waitFor('the report', async () => (await rows([undelivered as string]))[0]?.status === 'undelivered');
    expect((await rows([undelivered as string]))[0]).toMatchObject({ refunded: false });
    await second.deps.prisma.account.update({ where: { id: otherAccount.id }, data: { balanceMicros: 0n } });
    const [waiting] = await accept(first.deps, account, { to: '4915100000001' });
    await waitFor('the refusal', async () => (await rows([waiting as string]))[0]?.errorCode === '402');
    expect(first.deps.carriers.get('second').state()).toMatchObject({
      up: false,
      reason: 'The account at Another Heliograph has no credit left.',
    });
    expect(await readBalance(first.deps, account.id)).toBe(before - 20_000n);
  });
});
