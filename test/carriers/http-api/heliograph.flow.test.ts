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

/** The first Heliograph server uses the second server as its carrier. */
const firstServer = suiteApp({ settings: { CARRIER_PRIVATE_HOSTS: '127.0.0.1' } });
const secondServer = suiteApp({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
let account: TestAccount;
let otherAccount: TestAccount;

beforeAll(async () => {
  const publicUrl = await firstServer.app.listen({ host: '127.0.0.1', port: 0 });
  const baseUrl = await secondServer.app.listen({ host: '127.0.0.1', port: 0 });
  account = await createTestAccount(firstServer.deps);
  otherAccount = await createTestAccount(secondServer.deps);
  const { secret } = (
    await secondServer.app.inject({ method: 'POST', url: '/v2/callback-secret', headers: otherAccount.headers })
  ).json().data;
  const settings = { preset: 'heliograph', baseUrl, publicUrl, apiKey: otherAccount.apiKey, webhookSecret: secret };
  await addCarrier(firstServer.deps.prisma, { name: 'second', type: 'http', settings });
  await firstServer.deps.prisma.route.create({ data: { id: newId(), accountId: account.id, carriers: ['second'] } });
  await Promise.all([firstServer.deps.carriers.reload(), firstServer.deps.routing.reload()]);
});
afterAll(async () => {
  await firstServer.deps.carriers.close(AbortSignal.timeout(5_000));
});

describe('a Heliograph that sends through another one', () => {
  const findMessages = (ids: string[]) => firstServer.deps.prisma.message.findMany({ where: { id: { in: ids } } });

  it('a server that sends through another one sends each message once, and learns its status from signed callbacks', async () => {
    const to = Array.from({ length: 50 }, (_, index) => `4915100${String(index).padStart(6, '0')}`);
    const ids = await accept(firstServer.deps, account, { to });
    await waitFor('all to be delivered', async () =>
      (await findMessages(ids)).every(({ status }) => status === 'delivered'),
    );
    const sentMessages = await secondServer.deps.prisma.message.findMany({ where: { accountId: otherAccount.id } });
    expect(sentMessages.map(({ recipient }) => recipient).sort()).toEqual(to);
    expect(new Set((await findMessages(ids)).map(({ carrierMessageId }) => carrierMessageId))).toEqual(
      new Set(sentMessages.map(({ id }) => id)),
    );
    expect(new Set(sentMessages.map(({ reference }) => reference))).toEqual(new Set(ids));
  });

  it('a server that sends through another one passes the check of the Twilio preset, which reads the balance', async () => {
    const { port } = secondServer.app.server.address() as AddressInfo;
    const check = async (authToken: string) => {
      const twilioSettings = {
        preset: 'twilio',
        baseUrl: `http://127.0.0.1:${port}`,
        publicUrl: 'https://heliograph.example',
      };
      const settings = checkSettings(httpType, {
        ...twilioSettings,
        accountSid: toSid('AC', otherAccount.id),
        authToken,
      });
      const context = {
        name: 'v',
        settings,
        calls: UNLOGGED,
        clock: firstServer.deps.clock,
        privateHosts: ['127.0.0.1'],
      };
      const steps: [string, string | null][] = [];
      for await (const { what, problem } of checkHttp({ ...context, log: pino({ level: 'silent' }) }))
        steps.push([what, problem]);
      return steps.slice(1);
    };
    const balance = formatMoney(await readBalance(secondServer.deps, otherAccount.id));
    expect(await check(otherAccount.apiKey)).toEqual([[`read the balance: ${balance} USD`, null]]);
    expect(await check('wrong')).toEqual([['read the balance', 'the response has HTTP status 401']]);
  });

  it('a server that sends through another one refunds a message that the other server refuses', async () => {
    const balanceBefore = await readBalance(firstServer.deps, account.id);
    const [undeliveredId] = await accept(firstServer.deps, account, { to: '15005550002' });
    await waitFor(
      'the report',
      async () => (await findMessages([undeliveredId as string]))[0]?.status === 'undelivered',
    );
    expect((await findMessages([undeliveredId as string]))[0]).toMatchObject({ refunded: false });
    await secondServer.deps.prisma.account.update({ where: { id: otherAccount.id }, data: { balanceMicros: 0n } });
    const [refusedId] = await accept(firstServer.deps, account, { to: '4915100000001' });
    await waitFor('the refusal', async () => (await findMessages([refusedId as string]))[0]?.errorCode === '402');
    expect(firstServer.deps.carriers.get('second').state()).toMatchObject({
      up: false,
      reason: 'The account at Another Heliograph has no credit left.',
    });
    expect(await readBalance(firstServer.deps, account.id)).toBe(balanceBefore - 20_000n);
  });
});
