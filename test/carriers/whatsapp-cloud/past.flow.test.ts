import { describe, expect, it } from 'vitest';
import { erasePerson } from '../../../src/features/erasure/erase.js';
import { listInbound } from '../../../src/features/inbound/list.js';
import type { InboundFilter } from '../../../src/features/inbound/list-store.js';
import { waitFor } from '../../support/wait-for.js';
import {
  channel,
  events,
  hand,
  heliograph,
  listen,
  meetPeople,
  phone,
  post,
  postedBefore,
  said,
  write,
} from './people.js';

meetPeople();

const US = '15550783881';
const DAY = 86_400;
const now = Math.floor(Date.now() / 1000);
const READ = { history_context: { from_me: true, status: 'READ' } };

const kept = async () => {
  const rows = await heliograph.deps.prisma.keptReport.findMany({ where: { channelId: channel.channelId } });
  return rows.map(({ kind, reason }) => `${kind} ${reason}`).sort();
};
const ask = async (path: string) =>
  (await heliograph.app.inject({ url: `/api/v1${path}`, headers: channel.headers })).json().data;
/** The only conversation, and what is shown in it, the newest first. */
async function history() {
  const { conversations } = await ask('/conversations');
  expect(conversations).toHaveLength(1);
  return { conversation: conversations[0], ...(await ask(`/conversations/${conversations[0].id}/messages`)) };
}
const past = (id: string, daysAgo: number, more: object) => ({
  ...{ from: phone, id, timestamp: String(now - daysAgo * DAY), history_context: { status: 'READ' } },
  ...more,
});
const chunk = (...messages: object[]) => ({
  history: [{ metadata: { phase: 0, chunk_order: 1, progress: 100 }, threads: [{ id: phone, messages }] }],
});

describe('files of the history of the app, which are told apart from their messages', () => {
  const image = { id: '24230790383178626', mime_type: 'image/jpeg', sha256: 'x', caption: 'Black cat' };
  const holder = (id: string, daysAgo: number, more: object = {}) =>
    past(id, daysAgo, { type: 'media_placeholder', ...more });
  const file = (id: string, daysAgo: number, more: object = {}) =>
    past(id, daysAgo, { type: 'image', image, history_context: undefined, ...more });
  const own = { from: US, ...READ };
  const ownFile = (id: string, daysAgo: number) => file(id, daysAgo, { from: US });

  it('are shown in their places, once, and told to nobody', async () => {
    const { prisma } = heliograph.deps;
    await listen('message.received', 'message.edited');
    const holders = chunk(holder('wamid.f1', 3), holder('wamid.f2', 2, own));
    await post(holders, 'history');
    expect((await history()).messages).toMatchObject([{ type: 'media_placeholder' }, { type: 'media_placeholder' }]);
    await post({ messages: [file('wamid.f1', 3)] }, 'history');
    await post({ messages: [ownFile('wamid.f2', 2)] }, 'history');
    const shown = await history();
    const inbound = { direction: 'inbound', text: 'Black cat', payload: { ...image, mediaId: expect.any(String) } };
    expect(shown.messages).toMatchObject([
      { direction: 'outbound', type: 'image', text: 'Black cat', status: 'read', payload: image },
      { ...inbound, type: 'image' },
    ]);
    const { mediaId } = shown.messages[1].payload;
    const files = await prisma.media.findMany({ where: { channelId: channel.channelId } });
    expect(files).toMatchObject([{ id: mediaId, carrierMediaId: image.id, status: 'remote' }]);
    // A repetition of either webhook changes nothing.
    await post({ messages: [file('wamid.f1', 3), ownFile('wamid.f2', 2)] }, 'history');
    await post(holders, 'history');
    expect(await history()).toEqual(shown);
    expect(await prisma.media.count({ where: { channelId: channel.channelId } })).toBe(1);
    expect(shown.conversation).toMatchObject({ unreadCount: 0 });
    expect([await events('message.received'), await events('message.edited'), await kept()]).toEqual([[], [], []]);
  });

  it('may be told in one callback with them', async () => {
    const holders = chunk(holder('wamid.f3', 3), holder('wamid.f4', 2, own));
    await post({ messages: [ownFile('wamid.f4', 2), file('wamid.f3', 3)], ...holders }, 'history');
    expect((await history()).messages).toMatchObject([{ type: 'image' }, { type: 'image' }]);
    expect(await kept()).toEqual([]);
  });

  it('may come before them', async () => {
    await hand({ messages: [ownFile('wamid.f8', 2)] }, 'history');
    await waitFor('it to be put off', () => heliograph.deps.prisma.carrierCallback.count({ where: { attempts: 1 } }));
    await post(chunk(holder('wamid.f8', 2, own)), 'history');
    expect((await history()).messages).toMatchObject([{ type: 'image' }]);
    expect(await kept()).toEqual([]);
  });

  it('do not come back into those that were taken back', async () => {
    await post(chunk(holder('wamid.f5', 3), holder('wamid.f6', 2, own)), 'history');
    const revoke = (id: string) => ({ type: 'revoke', revoke: { original_message_id: id } });
    await write({ phone }, revoke('wamid.f5'));
    const echo = { from: US, to: phone, id: 'wamid.r6', timestamp: String(now), ...revoke('wamid.f6') };
    await post({ message_echoes: [echo] }, 'smb_message_echoes');
    await post({ messages: [file('wamid.f5', 3), ownFile('wamid.f6', 2)] }, 'history');
    const { messages } = await history();
    expect(messages).toMatchObject([{ text: '' }, { text: '' }]);
    expect(JSON.stringify(messages)).not.toContain(image.id);
  });

  it('are kept where their message is one of ours that is not here', async () => {
    await postedBefore({ messages: [ownFile('wamid.f7', 2)] }, 'history');
    expect(await kept()).toEqual(['history:image no-message']);
  });
});

it('the past is found by its times, as is what people did with messages', async () => {
  await post(chunk(past('wamid.t1', 3, said('Black cat'))), 'history');
  const action = { action_type: 'landing_page_view', timestamp: String(now - 2 * DAY), wa_id: phone };
  await post({ user_actions: [action] });
  await write({ phone }, said('Today'));
  const found = async (fromDaysAgo: number, toDaysAgo: number) => {
    const [receivedFrom, receivedTo] = [fromDaysAgo, toDaysAgo].map((days) => new Date((now - days * DAY) * 1000));
    const asked = { accountId: channel.account.id, to: null, kind: null, receivedFrom, receivedTo } as const;
    const look = (from: InboundFilter['from']) =>
      listInbound(heliograph.deps, { ...asked, from } as InboundFilter, { before: null, limit: 10 });
    const { entries } = await look(null);
    expect((await look({ phone })).entries).toEqual(entries);
    return entries.map(({ type, receivedAt }) => [type, receivedAt]);
  };
  expect(await found(3.5, 2.5)).toEqual([['text', new Date((now - 3 * DAY) * 1000)]]);
  expect(await found(2.5, 1.5)).toEqual([['user_action', new Date((now - 2 * DAY) * 1000)]]);
  expect(await found(1.5, -1)).toEqual([['text', expect.any(Date)]]);
  expect(await found(4, -1)).toHaveLength(3);
});

describe('what is sent from the app on the telephone is there once', () => {
  const echo = (more: object) => ({ from: US, to: phone, id: `wamid.once.${phone}`, ...said('Black cat'), ...more });
  const tell = (more: object) => post({ message_echoes: [echo(more)] }, 'smb_message_echoes');
  const stored = () => heliograph.deps.prisma.message.findMany({ where: { channelId: channel.channelId } });

  it.each([
    ['without a time', undefined],
    ['though the clock of the carrier is ahead', now + 3600],
    ['at a time that is none', now + 100 * 365 * DAY],
  ])('%s', async (_, at) => {
    const timestamp = at && String(at);
    await tell({ timestamp });
    await tell({ timestamp });
    const rows = await stored();
    expect(rows).toMatchObject([{ body: 'Black cat' }]);
    expect(rows[0]?.sentAt?.getTime()).toBeLessThanOrEqual(Date.now());
    expect(await kept()).toEqual([]);
  });

  it('and stays erased, though the clock of the carrier is ahead', async () => {
    const timestamp = String(now + 3600);
    await tell({ timestamp });
    await erasePerson({ ...heliograph.deps }, { phone, accountId: channel.account.id }, { waitMs: 0 });
    await tell({ timestamp });
    expect(await stored()).toMatchObject([{ body: '' }]);
  });
});

it('a message of ours whose recipient was erased stays empty, whatever is told of it later', async () => {
  const { deps } = heliograph;
  const told = past('wamid.erased', 2, { from: US, to: phone, ...READ, ...said('Black cat') });
  await post(chunk(told), 'history');
  await erasePerson({ ...deps }, { phone, accountId: channel.account.id }, { waitMs: 0 });
  const edit = { original_message_id: 'wamid.erased', message: said('White cat') };
  const echo = { from: US, to: phone, id: 'wamid.edited', timestamp: String(now), type: 'edit', edit };
  await postedBefore({ message_echoes: [echo] }, 'smb_message_echoes');
  const where = { channelId: channel.channelId };
  expect(await deps.prisma.message.findMany({ where })).toMatchObject([{ body: '', content: null }]);
  const reference = { carrierMessageId: { endsWith: 'wamid.erased' } };
  expect(await deps.prisma.carrierReference.count({ where: reference })).toBe(0);
});
