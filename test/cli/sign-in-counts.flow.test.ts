import { expect, it } from 'vitest';
import { newId } from '../../src/platform/ids.js';
import { commandsOnTestStore } from './run.js';

const commands = commandsOnTestStore();

it('sign-in counts shows sent, checked and approved codes by country', async () => {
  const [shop, otherAccount] = [await commands.createAccount('Shop'), await commands.createAccount('Other')];
  const createCode = (accountId: string, callingCode: string, overrides: object = {}) =>
    commands.store.prisma.verification.create({
      data: {
        id: newId(),
        accountId,
        recipient: `${callingCode}7700900123`,
        callingCode,
        createdAt: new Date(),
        expiresAt: new Date(),
        digits: 6,
        sends: 1,
        ...overrides,
      },
    });
  expect((await commands.cli('sign-in', 'counts')).stdout).toBe('No codes were sent.\n');
  await createCode(shop, '44', { sends: 2, checks: 3, status: 'approved' });
  await createCode(shop, '44', { sends: 1, checks: 0 });
  await createCode(shop, '44', { sends: 4, checkedElsewhere: true });
  await createCode(otherAccount, '1', { sends: 1, checks: 1, status: 'canceled' });
  const eightDaysAgo = new Date(Date.now() - 8 * 86_400_000);
  const oldId = `${eightDaysAgo
    .getTime()
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})(.{4})$/, '$1-$2')}-7000-8000-000000000000`;
  await createCode(shop, '49', { id: oldId });
  expect(await commands.json('sign-in', 'counts')).toEqual([
    { callingCode: '44', codes: 2, sent: 3, checked: 3, approved: 1, passedOn: 4 },
    { callingCode: '1', codes: 1, sent: 1, checked: 1, approved: 0, passedOn: 0 },
  ]);
  expect(await commands.json('sign-in', 'counts', '--account', otherAccount)).toHaveLength(1);
  expect(await commands.json('sign-in', 'counts', '--days', '9')).toHaveLength(3);
  expect((await commands.cli('sign-in', 'counts')).stdout).toMatch(/^\+44 +2 +3 +3 +1 +50 % +4$/m);
});
