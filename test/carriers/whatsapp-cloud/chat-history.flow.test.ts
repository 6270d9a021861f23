import { describe, expect, it } from 'vitest';
import { erasePerson } from '../../../src/features/erasure/erase.js';
import { listInbound } from '../../../src/features/inbound/list.js';
import type { InboundFilter } from '../../../src/features/inbound/list-store.js';
import { waitFor } from '../../support/wait-for.js';
import {
  channel,
  createText,
  heliograph,
  listEvents,
  phone,
  post,
  postAsRetried,
  postWithoutWaiting,
  receiveMessage,
  subscribe,
  usePeople,
} from './people.js';

usePeople();

const OUR_NUMBER = '15550783881';
const DAY = 86_400;
const now = Math.floor(Date.now() / 1000);
const READ = { history_context: { from_me: true, status: 'READ' } };

const listUnusedReports = async () => {
  const rows = await heliograph.deps.prisma.keptReport.findMany({ where: { channelId: channel.channelId } });
  return rows.map(({ kind, reason }) => `${kind} ${reason}`).sort();
};
const fetchData = async (path: string) =>
  (await heliograph.app.inject({ url: `/api/v1${path}`, headers: channel.headers })).json().data;
/** Newest first. */
async function readHistory() {
  const { conversations } = await fetchData('/conversations');
  expect(conversations).toHaveLength(1);
  return { conversation: conversations[0], ...(await fetchData(`/conversations/${conversations[0].id}/messages`)) };
}
const createPastMessage = (id: string, daysAgo: number, overrides: object) => ({
  ...{ from: phone, id, timestamp: String(now - daysAgo * DAY), history_context: { status: 'READ' } },
  ...overrides,
});
const createChunk = (...messages: object[]) => ({
  history: [{ metadata: { phase: 0, chunk_order: 1, progress: 100 }, threads: [{ id: phone, messages }] }],
});

describe('files of the chat history', () => {
  const image = { id: '24230790383178626', mime_type: 'image/jpeg', sha256: 'x', caption: 'Black cat' };
  const createPlaceholder = (id: string, daysAgo: number, overrides: object = {}) =>
    createPastMessage(id, daysAgo, { type: 'media_placeholder', ...overrides });
  const createFile = (id: string, daysAgo: number, overrides: object = {}) =>
    createPastMessage(id, daysAgo, { type: 'image', image, history_context: undefined, ...overrides });
  const ownFields = { from: OUR_NUMBER, ...READ };
  const createOwnFile = (id: string, daysAgo: number) => createFile(id, daysAgo, { from: OUR_NUMBER });

  it('files of the chat history are shown once, in place of their placeholders, without notifying webhooks', async () => {
    const { prisma } = heliograph.deps;
    await subscribe('message.received', 'message.edited');
    const placeholders = createChunk(createPlaceholder('wamid.f1', 3), createPlaceholder('wamid.f2', 2, ownFields));
    await post(placeholders, 'history');
    expect((await readHistory()).messages).toMatchObject([
      { type: 'media_placeholder' },
      { type: 'media_placeholder' },
    ]);
    await post({ messages: [createFile('wamid.f1', 3)] }, 'history');
    await post({ messages: [createOwnFile('wamid.f2', 2)] }, 'history');
    const conversationBefore = await readHistory();
    const inbound = { direction: 'inbound', text: 'Black cat', payload: { ...image, mediaId: expect.any(String) } };
    expect(conversationBefore.messages).toMatchObject([
      { direction: 'outbound', type: 'image', text: 'Black cat', status: 'read', payload: image },
      { ...inbound, type: 'image' },
    ]);
    const { mediaId } = conversationBefore.messages[1].payload;
    const files = await prisma.media.findMany({ where: { channelId: channel.channelId } });
    expect(files).toMatchObject([{ id: mediaId, carrierMediaId: image.id, status: 'remote' }]);
    await post({ messages: [createFile('wamid.f1', 3), createOwnFile('wamid.f2', 2)] }, 'history');
    await post(placeholders, 'history');
    expect(await readHistory()).toEqual(conversationBefore);
    expect(await prisma.media.count({ where: { channelId: channel.channelId } })).toBe(1);
    expect(conversationBefore.conversation).toMatchObject({ unreadCount: 0 });
    expect([
      await listEvents('message.received'),
      await listEvents('message.edited'),
      await listUnusedReports(),
    ]).toEqual([[], [], []]);
  });

  it('files of the chat history can be in the same webhook as their messages', async () => {
    const placeholders = createChunk(createPlaceholder('wamid.f3', 3), createPlaceholder('wamid.f4', 2, ownFields));
    await post({ messages: [createOwnFile('wamid.f4', 2), createFile('wamid.f3', 3)], ...placeholders }, 'history');
    expect((await readHistory()).messages).toMatchObject([{ type: 'image' }, { type: 'image' }]);
    expect(await listUnusedReports()).toEqual([]);
  });

  it('files of the chat history can arrive before their messages', async () => {
    await postWithoutWaiting({ messages: [createOwnFile('wamid.f8', 2)] }, 'history');
    await waitFor('the webhook to be deferred', () =>
      heliograph.deps.prisma.carrierCallback.count({ where: { attempts: 1 } }),
    );
    await post(createChunk(createPlaceholder('wamid.f8', 2, ownFields)), 'history');
    expect((await readHistory()).messages).toMatchObject([{ type: 'image' }]);
    expect(await listUnusedReports()).toEqual([]);
  });

  it('files of the chat history do not reappear in revoked messages', async () => {
    await post(createChunk(createPlaceholder('wamid.f5', 3), createPlaceholder('wamid.f6', 2, ownFields)), 'history');
    const revoke = (id: string) => ({ type: 'revoke', revoke: { original_message_id: id } });
    await receiveMessage({ phone }, revoke('wamid.f5'));
    const echo = { from: OUR_NUMBER, to: phone, id: 'wamid.r6', timestamp: String(now), ...revoke('wamid.f6') };
    await post({ message_echoes: [echo] }, 'smb_message_echoes');
    await post({ messages: [createFile('wamid.f5', 3), createOwnFile('wamid.f6', 2)] }, 'history');
    const { messages } = await readHistory();
    expect(messages).toMatchObject([{ text: '' }, { text: '' }]);
    expect(JSON.stringify(messages)).not.toContain(image.id);
  });

  it('files of the chat history are stored as unused if their outbound message is unknown', async () => {
    await postAsRetried({ messages: [createOwnFile('wamid.f7', 2)] }, 'history');
    expect(await listUnusedReports()).toEqual(['history:image no-message']);
  });
});

it('history messages and actions are found by their original times', async () => {
  await post(createChunk(createPastMessage('wamid.t1', 3, createText('Black cat'))), 'history');
  const action = { action_type: 'landing_page_view', timestamp: String(now - 2 * DAY), wa_id: phone };
  await post({ user_actions: [action] });
  await receiveMessage({ phone }, createText('Today'));
  const findByTime = async (fromDaysAgo: number, toDaysAgo: number) => {
    const [receivedFrom, receivedTo] = [fromDaysAgo, toDaysAgo].map((days) => new Date((now - days * DAY) * 1000));
    const filter = { accountId: channel.account.id, to: null, kind: null, receivedFrom, receivedTo } as const;
    const list = (from: InboundFilter['from']) =>
      listInbound(heliograph.deps, { ...filter, from } as InboundFilter, { before: null, limit: 10 });
    const { entries } = await list(null);
    expect((await list({ phone })).entries).toEqual(entries);
    return entries.map(({ type, receivedAt }) => [type, receivedAt]);
  };
  expect(await findByTime(3.5, 2.5)).toEqual([['text', new Date((now - 3 * DAY) * 1000)]]);
  expect(await findByTime(2.5, 1.5)).toEqual([['user_action', new Date((now - 2 * DAY) * 1000)]]);
  expect(await findByTime(1.5, -1)).toEqual([['text', expect.any(Date)]]);
  expect(await findByTime(4, -1)).toHaveLength(3);
});

describe('echoes', () => {
  const createEcho = (overrides: object) => ({
    from: OUR_NUMBER,
    to: phone,
    id: `wamid.once.${phone}`,
    ...createText('Black cat'),
    ...overrides,
  });
  const postEcho = (overrides: object) => post({ message_echoes: [createEcho(overrides)] }, 'smb_message_echoes');
  const listStored = () => heliograph.deps.prisma.message.findMany({ where: { channelId: channel.channelId } });

  it.each([
    ['is stored once without a timestamp', undefined],
    ['is stored once although the clock of the carrier is ahead', now + 3600],
    ['is stored once with an implausible timestamp', now + 100 * 365 * DAY],
  ])('an echo from the WhatsApp Business app %s', async (_, seconds) => {
    const timestamp = seconds && String(seconds);
    await postEcho({ timestamp });
    await postEcho({ timestamp });
    const rows = await listStored();
    expect(rows).toMatchObject([{ body: 'Black cat' }]);
    expect(rows[0]?.sentAt?.getTime()).toBeLessThanOrEqual(Date.now());
    expect(await listUnusedReports()).toEqual([]);
  });

  it('an echo from the WhatsApp Business app stays erased when it is repeated, even if its timestamp is in the future', async () => {
    const timestamp = String(now + 3600);
    await postEcho({ timestamp });
    await erasePerson({ ...heliograph.deps }, { address: phone, accountId: channel.account.id }, { waitMs: 0 });
    await postEcho({ timestamp });
    expect(await listStored()).toMatchObject([{ body: '' }]);
  });
});

it('our message to an erased recipient stays empty, whatever Meta reports later', async () => {
  const { deps } = heliograph;
  const message = createPastMessage('wamid.erased', 2, {
    from: OUR_NUMBER,
    to: phone,
    ...READ,
    ...createText('Black cat'),
  });
  await post(createChunk(message), 'history');
  await erasePerson({ ...deps }, { address: phone, accountId: channel.account.id }, { waitMs: 0 });
  const edit = { original_message_id: 'wamid.erased', message: createText('White cat') };
  const echo = { from: OUR_NUMBER, to: phone, id: 'wamid.edited', timestamp: String(now), type: 'edit', edit };
  await postAsRetried({ message_echoes: [echo] }, 'smb_message_echoes');
  const where = { channelId: channel.channelId };
  expect(await deps.prisma.message.findMany({ where })).toMatchObject([{ body: '', content: null }]);
  const reference = { carrierMessageId: { endsWith: 'wamid.erased' } };
  expect(await deps.prisma.carrierReference.count({ where: reference })).toBe(0);
});
