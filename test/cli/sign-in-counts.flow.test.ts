import { expect, it } from 'vitest';
import { newId } from '../../src/platform/ids.js';
import { commandsOnTestStore } from './run.js';

const commands = commandsOnTestStore();

it('sign-in counts shows sent, checked and approved codes by country', async () => {
  const [shop, other] = [await commands.createAccount('Shop'), await commands.createAccount('Other')];
  const code = (accountId: string, callingCode: string, more: object = {}) =>
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
        ...more,
      },
    });
  expect((await commands.cli('sign-in', 'counts')).stdout).toBe('No codes were sent.\n');
  await code(shop, '44', { sends: 2, checks: 3, status: 'approved' });
  await code(shop, '44', { sends: 1, checks: 0 });
  await code(shop, '44', { sends: 4, checkedElsewhere: true });
  await code(other, '1', { sends: 1, checks: 1, status: 'canceled' });
  const nearly = new Date(Date.now() - 8 * 86_400_000);
  const old = `${nearly
    .getTime()
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})(.{4})$/, '$1-$2')}-7000-8000-000000000000`;
  await code(shop, '49', { id: old });
  expect(await commands.json('sign-in', 'counts')).toEqual([
    { callingCode: '44', codes: 2, sent: 3, checked: 3, approved: 1, passedOn: 4 },
    { callingCode: '1', codes: 1, sent: 1, checked: 1, approved: 0, passedOn: 0 },
  ]);
  expect(await commands.json('sign-in', 'counts', '--account', other)).toHaveLength(1);
  expect(await commands.json('sign-in', 'counts', '--days', '9')).toHaveLength(3);
  expect((await commands.cli('sign-in', 'counts')).stdout).toMatch(/^\+44 +2 +3 +3 +1 +50 % +4$/m);
});
