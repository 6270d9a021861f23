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
  const addKeyword = (accountId: string, word: string, meaning: 'stop' | 'start' = 'stop') =>
    setOptOutWord(heliograph.deps.prisma, { accountId, word, meaning });
  const listKeywords = async (accountId: string) =>
    (await listOptOutWords(heliograph.deps.prisma, accountId)).map(({ word, meaning }) => `${word} ${meaning}`);

  it('opt-out keywords of accounts are separate: removing one does not affect another account', async () => {
    const { prisma } = heliograph.deps;
    const [firstChannel, otherChannel] = [
      await createTestChannel(heliograph.deps),
      await createTestChannel(heliograph.deps),
    ];
    for (const { account } of [firstChannel, otherChannel]) await addKeyword(account.id, 'Arrêt');
    await addKeyword(firstChannel.account.id, 'Halt');
    await removeOptOutWord(prisma, firstChannel.account.id, 'ARRÊT!');
    expect(await listKeywords(firstChannel.account.id)).toEqual(['halt stop']);
    expect(await listKeywords(otherChannel.account.id)).toEqual(['arrêt stop']);
    expect(await findMeaning(prisma, firstChannel.account.id, 'Arrêt')).toBeNull();
    expect(await findMeaning(prisma, otherChannel.account.id, ' arrêt.')).toBe('stop');
    await expect(removeOptOutWord(prisma, firstChannel.account.id, 'arrêt')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it("an account's opt-out keyword can change its meaning; the result has the previous one", async () => {
    const { account } = await createTestChannel(heliograph.deps);
    expect(await addKeyword(account.id, 'Encore')).toEqual({ word: 'encore', was: null });
    expect(await addKeyword(account.id, 'encore', 'start')).toEqual({ word: 'encore', was: 'stop' });
    expect(await addKeyword(account.id, 'encore', 'start')).toEqual({ word: 'encore', was: 'start' });
    expect(await listKeywords(account.id)).toEqual(['encore start']);
  });

  it("an account's opt-out keyword cannot be a common keyword or the keyword of an automation", async () => {
    const channel = await createTestChannel(heliograph.deps);
    const otherChannel = await createTestChannel(heliograph.deps);
    await createAutomation(heliograph, channel, [{ type: 'send_reply', message: 'Hello' }], { keyword: 'Menu' });
    await expect(addKeyword(channel.account.id, 'Stop', 'start')).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(addKeyword(channel.account.id, 'MENU!')).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(addKeyword(channel.account.id, '!!!')).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect(await addKeyword(channel.account.id, 'menu', 'start')).toMatchObject({ was: null });
    expect(await addKeyword(otherChannel.account.id, 'menu')).toMatchObject({ was: null });
    await heliograph.deps.prisma.channel.update({ where: { id: channel.channelId }, data: { deletedAt: new Date() } });
    expect(await addKeyword(channel.account.id, 'menu')).toMatchObject({ was: 'start' });
  });
});
