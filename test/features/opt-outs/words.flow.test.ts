import { describe, expect, it } from 'vitest';
import {
  findMeaning,
  listOptOutWords,
  removeOptOutWord,
  setOptOutWord,
} from '../../../src/features/opt-outs/opt-outs.js';
import { createAutomation } from '../../support/automations.js';
import { createTestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';

describe('opt-out keywords of an account', () => {
  const heliograph = sharedApp({ role: 'api' });
  const set = (accountId: string, word: string, meaning: 'stop' | 'start' = 'stop') =>
    setOptOutWord(heliograph.deps.prisma, { accountId, word, meaning });
  const words = async (accountId: string) =>
    (await listOptOutWords(heliograph.deps.prisma, accountId)).map(({ word, meaning }) => `${word} ${meaning}`);

  it('are separate: removing one does not affect another account', async () => {
    const { prisma } = heliograph.deps;
    const [one, other] = [await createTestChannel(heliograph.deps), await createTestChannel(heliograph.deps)];
    for (const { account } of [one, other]) await set(account.id, 'Arrêt');
    await set(one.account.id, 'Halt');
    await removeOptOutWord(prisma, one.account.id, 'ARRÊT!');
    expect(await words(one.account.id)).toEqual(['halt stop']);
    expect(await words(other.account.id)).toEqual(['arrêt stop']);
    expect(await findMeaning(prisma, one.account.id, 'Arrêt')).toBeNull();
    expect(await findMeaning(prisma, other.account.id, ' arrêt.')).toBe('stop');
    await expect(removeOptOutWord(prisma, one.account.id, 'arrêt')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('can change their meaning; the result has the previous one', async () => {
    const { account } = await createTestChannel(heliograph.deps);
    expect(await set(account.id, 'Encore')).toEqual({ word: 'encore', was: null });
    expect(await set(account.id, 'encore', 'start')).toEqual({ word: 'encore', was: 'stop' });
    expect(await set(account.id, 'encore', 'start')).toEqual({ word: 'encore', was: 'start' });
    expect(await words(account.id)).toEqual(['encore start']);
  });

  it('cannot be a common keyword, nor opt out with the keyword of an automation', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const other = await createTestChannel(heliograph.deps);
    await createAutomation(heliograph, channel, [{ type: 'send_reply', message: 'Hello' }], { keyword: 'Menu' });
    await expect(set(channel.account.id, 'Stop', 'start')).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(set(channel.account.id, 'MENU!')).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(set(channel.account.id, '!!!')).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect(await set(channel.account.id, 'menu', 'start')).toMatchObject({ was: null });
    expect(await set(other.account.id, 'menu')).toMatchObject({ was: null });
    await heliograph.deps.prisma.channel.update({ where: { id: channel.channelId }, data: { deletedAt: new Date() } });
    expect(await set(channel.account.id, 'menu')).toMatchObject({ was: 'start' });
  });
});
