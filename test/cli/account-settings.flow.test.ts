import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/platform/ids.js';
import { commandsOnTestStore } from './run.js';

const { cli, json, createAccount } = commandsOnTestStore();
let account: string;

beforeAll(async () => {
  account = await createAccount('Owner');
});

const readAccount = async () =>
  (await json<{ id: string }[]>('account', 'list')).find(({ id }) => id === account) as Record<string, unknown>;

describe('heliograph account', () => {
  it('disable and enable change the state of an account', async () => {
    expect((await cli('account', 'disable', account)).stdout).toBe(`Account ${account} is disabled.\n`);
    expect(await readAccount()).toMatchObject({ isActive: false });
    expect((await cli('account', 'list')).stdout).toMatch(/standard +off\n/);
    expect(await json('account', 'enable', account)).toEqual({ accountId: account, isActive: true });
    expect(await readAccount()).toMatchObject({ isActive: true });
  });

  it('low-balance sets and removes the balance below which webhooks are notified', async () => {
    expect((await cli('account', 'low-balance', account, '12.5')).stdout).toBe(
      "The account's webhooks are notified when the balance falls below 12.50 USD.\n",
    );
    expect(await readAccount()).toMatchObject({ lowBalance: '12.50' });
    expect((await cli('account', 'low-balance', account, 'off')).stdout).toBe('Low-balance notifications are off.\n');
    expect(await readAccount()).toMatchObject({ lowBalance: null });
  });

  it('cancel-waiting cancels all waiting messages and campaigns, and prints counts and refund', async () => {
    expect(await json('account', 'cancel-waiting', account)).toEqual({
      accountId: account,
      messages: 0,
      campaigns: 0,
      refunded: '0.00',
      currency: 'USD',
    });
    expect((await cli('account', 'cancel-waiting', account)).stdout).toBe(
      'Canceled 0 messages and 0 campaigns; refunded 0.00 USD.\n',
    );
    expect((await cli('account', 'cancel-waiting', newId())).code).toBe(1);
  });

  it('senders sets the allowed sender IDs, and without arguments allows all', async () => {
    expect((await cli('account', 'senders', account, 'Shop', '15005550100')).stdout).toBe(
      'The account may use only the sender IDs Shop, 15005550100 for SMS.\n',
    );
    expect(await readAccount()).toMatchObject({ senders: ['Shop', '15005550100'] });
    expect((await cli('account', 'senders', account)).stdout).toContain('any sender ID');
    expect(await readAccount()).toMatchObject({ senders: [] });
  });

  it('default-country sets and removes the country of recipients without a country code', async () => {
    expect((await cli('account', 'default-country', account, 'de')).stdout).toBe(
      'Recipients on Surface A without a country code are read as numbers of DE.\n',
    );
    expect(await readAccount()).toMatchObject({ defaultCountry: 'DE' });
    expect((await cli('account', 'default-country', account, 'XX')).code).toBe(1);
    expect(await json('account', 'default-country', account, 'off')).toEqual({
      accountId: account,
      defaultCountry: null,
    });
    expect(await readAccount()).toMatchObject({ defaultCountry: null });
  });

  it('rate-card switches the account to another card in its currency', async () => {
    await json('rate', 'create-card', 'cheap', 'USD', '--sms', '0.001', '--whatsapp', '0.002');
    await json('rate', 'create-card', 'euro', 'EUR', '--sms', '0.02', '--whatsapp', '0.03');
    expect((await cli('account', 'rate-card', account, 'cheap')).stdout).toBe(
      'The account uses the rate card cheap.\n',
    );
    expect(await readAccount()).toMatchObject({ rateCard: 'cheap' });
    expect((await cli('account', 'rate-card', account, 'euro')).stderr).toBe(
      'rateCard must use USD, the currency of the account; euro uses EUR\n',
    );
    expect((await cli('account', 'rate-card', account, 'none')).stderr).toBe('there is no rate card none\n');
    expect(await readAccount()).toMatchObject({ rateCard: 'cheap' });
  });

  it('ledger lists changes of the balance, newest first', async () => {
    const owner = await createAccount('Payer');
    for (const amount of ['1', '2', '3']) await json('account', 'credit', owner, amount, '--note', `no. ${amount}`);
    expect(await json('account', 'ledger', owner, '--limit', '2')).toMatchObject([
      { kind: 'credit', amount: '3.00', balanceAfter: '6.00', messageCount: 0, note: 'no. 3' },
      { amount: '2.00', balanceAfter: '3.00' },
    ]);
    expect((await cli('account', 'ledger', owner)).stdout).toMatch(/credit +1\.00 +1\.00 +0 +no\. 1\n/);
    expect((await cli('account', 'ledger', owner, '--limit', 'x')).stderr).toContain('a whole number');
  });

  it.each([
    [['senders', 'x'.repeat(19)], /must be 1 to 18 printable characters/],
    [['low-balance', '-1'], /unknown option|is not an amount/],
    [['low-balance', 'much'], /is not an amount/],
  ])('rejects the invalid arguments %j', async ([command = '', value = ''], message) => {
    const result = await cli('account', command, account, value);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(message);
  });

  it('all commands name an unknown account', async () => {
    const id = newId();
    for (const args of [
      ['disable', id],
      ['senders', id],
      ['low-balance', id, '1'],
      ['rate-card', id, 'standard'],
      ['ledger', id],
    ]) {
      expect((await cli('account', ...args)).stderr).toBe(`there is no account ${id}\n`);
    }
  });
});
