import { beforeAll, describe, expect, it } from 'vitest';
import { createTestAccount } from '../../support/accounts.js';
import { createTestChannel } from '../../support/channels.js';
import { createTestOperator } from '../../support/operators.js';
import { suiteApp } from '../../support/suite.js';

const heliograph = suiteApp({ role: 'api' });
const ids: string[] = [];

beforeAll(async () => {
  for (const name of ['One', 'Two', 'Three']) ids.push((await createTestAccount(heliograph.deps, { name })).id);
});

const readNames = (body: { data: { name: string }[] }) => body.data.map(({ name }) => name);

describe('GET /admin/v1/accounts', () => {
  it('lists all accounts to operators of the installation, page by page', async () => {
    const { ask } = await createTestOperator(heliograph, { role: 'viewer' });
    const firstPage = (await ask('GET', '/accounts?limit=2')).json();
    expect(readNames(firstPage)).toEqual(['Three', 'Two']);
    const secondPage = (await ask('GET', `/accounts?limit=2&cursor=${firstPage.next}`)).json();
    expect(readNames(secondPage)).toEqual(['One']);
    expect(secondPage.next).toBeNull();
    expect(readNames((await ask('GET', '/accounts?search=TH')).json())).toEqual(['Three']);
  });

  it('lists for other operators the accounts they have a role for, with that role', async () => {
    const grants = [
      { role: 'viewer' as const, accountId: ids[0] as string },
      { role: 'developer' as const, accountId: ids[2] as string },
    ];
    const { ask } = await createTestOperator(heliograph, { grants });
    expect((await ask('GET', '/accounts')).json().data).toMatchObject([
      { name: 'Three', role: 'developer', balance: 100, currency: 'USD', rateCard: 'standard', isActive: true },
      { name: 'One', role: 'viewer' },
    ]);
  });
});

describe('GET /admin/v1/accounts/:accountId', () => {
  it('shows the account and its channels', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const { ask } = await createTestOperator(heliograph, { role: 'viewer', accountId: channel.account.id });
    const { data } = (await ask('GET', `/accounts/${channel.account.id.toUpperCase()}`)).json();
    expect(data).toMatchObject({
      id: channel.account.id,
      role: 'viewer',
      channels: [{ id: channel.channelId, kind: 'whatsapp', carrier: 'simulator', isActive: true }],
    });
  });

  it('returns 404 for another account, an unknown one and a malformed ID', async () => {
    const { ask } = await createTestOperator(heliograph, { accountId: ids[0] });
    const owner = await createTestOperator(heliograph);
    const responses = [
      await ask('GET', `/accounts/${ids[1]}`),
      await owner.ask('GET', `/accounts/${crypto.randomUUID()}`),
      await owner.ask('GET', '/accounts/x'),
    ];
    for (const response of responses) {
      expect(response.statusCode).toBe(404);
      expect(response.json().error).toEqual({ code: 'NOT_FOUND', message: 'No account has this id.' });
    }
  });
});
