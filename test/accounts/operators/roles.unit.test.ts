import { describe, expect, it } from 'vitest';
import {
  findHighestRole,
  type Grant,
  isAtLeast,
  listVisibleAccountIds,
  ROLES,
} from '../../../src/accounts/operators/roles/roles.js';
import {
  findVisibleAccount,
  findVisibleChannel,
  listVisibleAccounts,
  listVisibleChannels,
} from '../../../src/accounts/operators/roles/visible-accounts.js';
import { createTestAccount } from '../../support/accounts.js';
import { createTestChannel } from '../../support/channels.js';
import { suiteStore } from '../../support/for-suite.js';

const [ACCOUNT, OTHER_ACCOUNT] = ['01920000-0000-7000-8000-000000000001', '01920000-0000-7000-8000-000000000002'];
const grant = (role: Grant['role'], accountId: string | null): Grant => ({ role, accountId });

describe('roles', () => {
  it('include the permissions of lower roles, not of higher ones', () => {
    const allowed = ROLES.map((role) => ROLES.map((needed) => isAtLeast(role, needed)));
    expect(allowed).toEqual([
      [true, false, false],
      [true, true, false],
      [true, true, true],
    ]);
  });

  it.each<[Grant[], Grant['role'] | null, Grant['role'] | null]>([
    [[], null, null],
    [[grant('owner', OTHER_ACCOUNT)], null, null],
    [[grant('developer', ACCOUNT)], 'developer', null],
    [[grant('developer', null)], 'developer', 'developer'],
    [[grant('owner', ACCOUNT), grant('viewer', ACCOUNT)], 'owner', null],
    [[grant('viewer', ACCOUNT), grant('owner', ACCOUNT)], 'owner', null],
    [[grant('viewer', null), grant('owner', ACCOUNT)], 'owner', 'viewer'],
    [[grant('owner', null), grant('viewer', ACCOUNT)], 'owner', 'owner'],
  ])('%j give the role %s in the account and %s in the installation', (grants, inAccount, inInstallation) => {
    expect([findHighestRole(grants, ACCOUNT), findHighestRole(grants, null)]).toEqual([inAccount, inInstallation]);
  });

  it('for accounts make those accounts visible, roles for the installation all', () => {
    expect(listVisibleAccountIds([])).toEqual([]);
    expect(listVisibleAccountIds([grant('viewer', ACCOUNT), grant('owner', OTHER_ACCOUNT)])).toEqual([
      ACCOUNT,
      OTHER_ACCOUNT,
    ]);
    expect(listVisibleAccountIds([grant('viewer', ACCOUNT), grant('viewer', null)])).toBe('all');
  });
});

describe('operators', () => {
  const store = suiteStore();

  it('see the accounts of their grants, newest first, in pages and filtered by name', async () => {
    const names = ['Red shop', 'Blue shop', 'Red cross'];
    const ids: string[] = [];
    for (const name of names) ids.push((await createTestAccount(store, { name })).id);
    const list = async (grants: Grant[], options: { limit?: number; before?: string | null; search?: string } = {}) => {
      const page = await listVisibleAccounts(store, grants, { limit: 10, before: null, ...options });
      return { names: page.accounts.map(({ name }) => name), next: page.next };
    };
    const ownGrants = [grant('viewer', ids[0] as string), grant('viewer', ids[1] as string)];
    expect(await list(ownGrants)).toEqual({ names: ['Blue shop', 'Red shop'], next: null });
    expect(await list(ownGrants, { search: 'red' })).toEqual({ names: ['Red shop'], next: null });
    expect(await list([])).toEqual({ names: [], next: null });
    const installationGrants = [grant('viewer', null)];
    expect(await list(installationGrants, { search: 'red' })).toEqual({ names: ['Red cross', 'Red shop'], next: null });
    const firstPage = await list(installationGrants, { limit: 2 });
    expect(firstPage).toEqual({ names: ['Red cross', 'Blue shop'], next: ids[1] });
    expect(await list(installationGrants, { limit: 2, before: firstPage.next })).toEqual({
      names: ['Red shop'],
      next: null,
    });
  });

  it('see the channels of an account, and deleted ones on request', async () => {
    const channel = await createTestChannel(store);
    const { account, channelId } = channel;
    const foreignAccount = await createTestAccount(store);
    const deletedChannel = await createTestChannel(store, account);
    await store.prisma.channel.update({ where: { id: deletedChannel.channelId }, data: { deletedAt: new Date() } });
    const find = async (accountId: string, id: string, includesDeleted: boolean) =>
      (await findVisibleChannel(store, accountId, id, includesDeleted))?.id ?? null;
    expect(await find(account.id, channelId, false)).toBe(channelId);
    expect(await find(foreignAccount.id, channelId, true)).toBeNull();
    expect(await find(account.id, deletedChannel.channelId, false)).toBeNull();
    expect(await find(account.id, deletedChannel.channelId, true)).toBe(deletedChannel.channelId);
    expect(await find(account.id, 'x', true)).toBeNull();
    expect((await listVisibleChannels(store, account.id)).map(({ id }) => id)).toEqual([channelId]);
    expect((await findVisibleAccount(store, account.id))?.id).toBe(account.id);
    for (const unknownId of [ACCOUNT, 'x']) expect(await findVisibleAccount(store, unknownId)).toBeNull();
  });
});
