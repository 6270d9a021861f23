import { beforeEach, describe, expect, it } from 'vitest';
import { claimMessages, readRules } from '../../../src/messages/send/send-store.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { createTestChannel } from '../../support/channels.js';
import { accept, listIds, sendRequest } from '../../support/sends.js';
import { sharedApp } from '../../support/suite.js';

const PHONE = '447700900123';

describe('the recipient of a claimed message', () => {
  const heliograph = sharedApp({ role: 'api' });
  let account: TestAccount;
  beforeEach(async () => {
    account = await createTestAccount(heliograph.deps);
  });
  const addOptOut = (
    sender: string,
    overrides: { accountId?: string; phone?: string; isActive?: boolean; kind?: 'whatsapp' } = {},
  ) =>
    heliograph.deps.prisma.optOut.create({
      data: { accountId: account.id, kind: 'sms', sender, phone: PHONE, decidedAt: new Date(), ...overrides },
    });
  const isOptedOut = async (sender = 'MyShop', to = PHONE) => {
    const request = { ...sendRequest(account, { to }), sender };
    const ids = listIds(await heliograph.deps.acceptor.accept(request));
    const [claimed] = await claimMessages(heliograph.deps.pool, ids, new Date());
    expect(claimed).toBeDefined();
    // A worker checks opt-outs again immediately before it submits the message.
    const rules = await readRules(heliograph.deps.pool, ids);
    expect(rules.get(ids[0] as string)?.optedOut ?? false).toBe(claimed?.optedOut);
    return claimed?.optedOut;
  };

  it('a recipient who opted out of the sender is found, in any spelling of the sender', async () => {
    await addOptOut('MyShop');
    expect(await isOptedOut('MyShop')).toBe(true);
    expect(await isOptedOut('My-Shop')).toBe(true);
    await addOptOut('15005550100');
    expect(await isOptedOut('+15005550100')).toBe(true);
  });

  it('a recipient who opted in again, or opted out of another sender, is not opted out', async () => {
    await addOptOut('MyShop', { isActive: false });
    await addOptOut('Other');
    expect(await isOptedOut()).toBe(false);
  });

  it('a recipient is not opted out by somebody else, or for another account or channel kind', async () => {
    const otherAccount = await createTestAccount(heliograph.deps);
    await addOptOut('MyShop', { phone: '447700900124' });
    await addOptOut('MyShop', { accountId: otherAccount.id });
    await addOptOut('MyShop', { kind: 'whatsapp' });
    expect(await isOptedOut()).toBe(false);
  });

  it('a recipient who opted out of a WhatsApp channel is found', async () => {
    const channel = await createTestChannel(heliograph.deps, account);
    const otherChannel = await createTestChannel(heliograph.deps, account);
    await addOptOut(channel.channelId, { kind: 'whatsapp' });
    for (const [{ channelId, phoneNumber }, expected] of [
      [channel, true],
      [otherChannel, false],
    ] as const) {
      const [id] = await accept(heliograph.deps, account, { to: PHONE });
      await heliograph.deps.prisma.message.update({
        where: { id },
        data: { kind: 'whatsapp', channelId, sender: phoneNumber },
      });
      expect(await claimMessages(heliograph.deps.pool, [id as string], new Date())).toMatchObject([
        { optedOut: expected },
      ]);
    }
  });
});
