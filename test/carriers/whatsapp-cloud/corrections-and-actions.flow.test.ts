import { describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.js';
import {
  bsuid,
  buildInboundFrom,
  channel,
  createText,
  findOnlyContact,
  heliograph,
  listContacts,
  listEvents,
  nextTimestamp,
  type PersonFields,
  parent,
  phone,
  post,
  postWithoutWaiting,
  receiveMessage,
  subscribe,
  usePeople,
} from './people.js';

usePeople();

const OUR_NUMBER = '15550783881';
const EVENTS = ['message.edited', 'message.revoked'];
const listUnusedReports = async () => {
  const rows = await heliograph.deps.prisma.keptReport.findMany({ where: { channelId: channel.channelId } });
  return rows.map(({ kind, reason }) => `${kind} ${reason}`).sort();
};
async function readHistory() {
  const ask = async (path: string) =>
    (await heliograph.app.inject({ url: `/api/v1${path}`, headers: channel.headers })).json().data;
  const { conversations } = await ask('/conversations');
  expect(conversations).toHaveLength(1);
  return { conversation: conversations[0], ...(await ask(`/conversations/${conversations[0].id}/messages`)) };
}

function buildCorrection(sender: PersonFields, type: 'edit' | 'revoke', original: string, body = '') {
  const change = type === 'edit' ? { message: { type: 'text', text: { body } } } : {};
  return buildInboundFrom(sender, { type, [type]: { original_message_id: original, ...change } });
}
const getFirstMessageId = (value: ReturnType<typeof buildInboundFrom>) => (value.messages[0] as { id: string }).id;

describe('edits and revocations', () => {
  it('an edit or revocation triggers one event with the person and the new content; late or repeated ones trigger none', async () => {
    await subscribe(...EVENTS);
    const firstMessage = buildInboundFrom({ userId: bsuid, username: 'sheena' }, createText('Helo'));
    await post(firstMessage);
    const earlyCorrection = buildCorrection({ userId: bsuid }, 'edit', getFirstMessageId(firstMessage), 'Hullo');
    const edit = buildCorrection({ userId: bsuid }, 'edit', getFirstMessageId(firstMessage), 'Hello');
    const revoke = buildCorrection({ userId: bsuid }, 'revoke', getFirstMessageId(firstMessage));
    for (const report of [edit, edit, earlyCorrection]) await post(report);
    const { id: contactId, conversation } = await findOnlyContact();
    const sharedFields = {
      messageId: conversation?.inbound[0]?.id,
      direction: 'inbound',
      channel: 'whatsapp',
      channelId: channel.channelId,
      contactId,
      conversationId: conversation?.id,
      from: null,
      to: channel.phoneNumber,
      userId: bsuid,
      username: 'sheena',
      carrierMessageId: getFirstMessageId(firstMessage),
    };
    const now = { type: 'text', text: 'Hello', payload: { body: 'Hello' } };
    expect(await listEvents('message.edited')).toEqual([{ ...sharedFields, ...now }]);
    for (const report of [revoke, revoke, edit]) await post(report);
    expect(await listEvents('message.revoked')).toEqual([sharedFields]);
    expect(await listEvents('message.edited')).toHaveLength(1);
    const [delivery] = await heliograph.deps.prisma.webhookDelivery.findMany({ where: { type: 'message.revoked' } });
    expect(delivery?.occurredAt.getTime()).toBe(Number((revoke.messages[0] as { timestamp: string }).timestamp) * 1000);
  });

  it.each(['of a contact', 'of ours'])('an edit or revocation can arrive before the message %s', async (owner) => {
    const isOurs = owner === 'of ours';
    const from = isOurs ? { from: OUR_NUMBER, to: phone } : { from: phone };
    const buildValue = (id: string, overrides: object) => ({
      [isOurs ? 'message_echoes' : 'messages']: [{ ...from, id, timestamp: nextTimestamp(), ...overrides }],
    });
    const field = isOurs ? 'smb_message_echoes' : 'messages';
    const firstMessage = buildValue('wamid.overtaken', createText('Helo'));
    const edit = { original_message_id: 'wamid.overtaken', message: createText('Hello') };
    await postWithoutWaiting(buildValue('wamid.overtakes', { type: 'edit', edit }), field);
    await waitFor('the webhook to be deferred', () =>
      heliograph.deps.prisma.carrierCallback.count({ where: { attempts: 1 } }),
    );
    await post(firstMessage, field);
    expect((await readHistory()).messages).toMatchObject([{ text: 'Hello', editedAt: expect.any(String) }]);
    expect(await listUnusedReports()).toEqual([]);
  });

  it('an edit or revocation keeps the file when only the caption changes', async () => {
    await subscribe(...EVENTS);
    const image = { id: '1037543291543636', mime_type: 'image/jpeg', sha256: 'x' };
    const firstMessage = buildInboundFrom({ phone }, { type: 'image', image: { ...image, caption: 'Befor' } });
    await post(firstMessage);
    const mediaId = ((await readHistory()).messages[0].payload as { mediaId: string }).mediaId;
    const editedContent = { type: 'image', image: { ...image, caption: 'Before' } };
    await post(
      buildInboundFrom(
        { phone },
        { type: 'edit', edit: { original_message_id: getFirstMessageId(firstMessage), message: editedContent } },
      ),
    );
    expect((await readHistory()).messages).toMatchObject([{ type: 'image', text: 'Before', payload: { mediaId } }]);
    expect(await listEvents('message.edited')).toMatchObject([{ from: phone, text: 'Before', payload: { mediaId } }]);
  });

  it('an edit or revocation of our message from the WhatsApp Business app triggers an outbound event', async () => {
    await subscribe(...EVENTS);
    await receiveMessage({ phone, userId: bsuid });
    const createEcho = (overrides: object) => ({
      from: OUR_NUMBER,
      to: phone,
      id: 'wamid.echo',
      timestamp: nextTimestamp(),
      ...overrides,
    });
    const postEcho = (overrides: object) => post({ message_echoes: [createEcho(overrides)] }, 'smb_message_echoes');
    await postEcho(createText('Befor'));
    const edit = { original_message_id: 'wamid.echo', message: createText('Before') };
    await postEcho({ id: 'wamid.edit', type: 'edit', edit });
    await postEcho({ id: 'wamid.revoke', type: 'revoke', revoke: { original_message_id: 'wamid.echo' } });
    const sharedFields = {
      direction: 'outbound',
      from: channel.phoneNumber,
      to: phone,
      userId: bsuid,
      carrierMessageId: 'wamid.echo',
    };
    expect(await listEvents('message.edited')).toMatchObject([{ ...sharedFields, type: 'text', text: 'Before' }]);
    expect(await listEvents('message.revoked')).toMatchObject([sharedFields]);
  });

  it('an edit or revocation also notifies webhooks of the whole account', async () => {
    await subscribe(...EVENTS);
    await heliograph.deps.prisma.webhook.updateMany({
      where: { channelId: channel.channelId },
      data: { channelId: null },
    });
    const firstMessage = buildInboundFrom({ phone });
    await post(firstMessage);
    await post(buildCorrection({ phone }, 'revoke', getFirstMessageId(firstMessage)));
    const { prisma } = heliograph.deps;
    const [webhook] = await prisma.webhook.findMany({ where: { accountId: channel.account.id } });
    expect(await prisma.webhookDelivery.count({ where: { webhookId: webhook?.id as string } })).toBe(1);
  });
});

describe('actions of contacts', () => {
  const buildClick = (overrides: object = {}) => ({
    action_type: 'marketing_messages_link_click',
    timestamp: nextTimestamp(),
    marketing_messages_link_click_data: { click_component: 'cta', click_id: 'c1', tracking_token: 't1' },
    ...overrides,
  });
  const postAction = (action: object, contacts?: object[]) =>
    post({ ...(contacts && { contacts }), user_actions: [action] });

  it('an action of a contact, such as a click, is in the conversation, but opens no window, is not unread and triggers no event', async () => {
    await subscribe('message.received');
    const days = 3 * 86_400;
    const oldMessage = buildInboundFrom({ userId: bsuid, parentUserId: parent });
    (oldMessage.messages[0] as { timestamp: string }).timestamp = String(Number(nextTimestamp()) - days);
    await post(oldMessage);
    const conversationBefore = (await readHistory()).conversation;
    const eventCount = (await listEvents('message.received')).length;
    const action = buildClick({ user_id: bsuid });
    await postAction(action);
    await postAction(action);
    await postAction(buildClick({ action_type: 'landing_page_view', click_id: undefined }), [
      { user_id: bsuid, profile: {} },
    ]);
    const { conversation, messages } = await readHistory();
    const actions = messages.filter(({ type }: { type: string }) => type === 'user_action');
    expect([messages.length, actions.length]).toEqual([3, 2]);
    const isClick = ({ payload }: { payload: Record<string, string> }) => payload.action_type?.endsWith('_click');
    expect(actions.find(isClick)).toMatchObject({
      direction: 'inbound',
      text: '',
      payload: {
        action_type: 'marketing_messages_link_click',
        marketing_messages_link_click_data: { click_component: 'cta', click_id: 'c1' },
      },
    });
    expect(JSON.stringify(actions)).not.toContain(bsuid);
    const { unreadCount, windowExpiresAt, lastMessageAt } = conversationBefore;
    expect(conversation).toMatchObject({ unreadCount, windowExpiresAt, lastMessageAt });
    expect(await listEvents('message.received')).toHaveLength(eventCount);
    expect(await listUnusedReports()).toEqual([]);
  });

  it('an action of a contact, such as a click, does not make a conversation unread that was read up to the message before', async () => {
    await receiveMessage({ phone });
    const { conversation, messages } = await readHistory();
    // A timestamp in the future counts as the current time, which is later than the message's timestamp.
    const timestamp = String(Math.floor(Date.now() / 1000) + 60);
    await postAction(buildClick({ wa_id: phone, timestamp }));
    const { statusCode } = await heliograph.app.inject({
      method: 'POST',
      url: `/api/v1/conversations/${conversation.id}/read`,
      headers: channel.headers,
      payload: { upTo: messages[0].id },
    });
    expect(statusCode).toBe(200);
    expect((await readHistory()).messages).toHaveLength(2);
    expect((await readHistory()).conversation).toMatchObject({ unreadCount: 0 });
  });

  it('an action of a contact, such as a click, of an unknown person is stored as unused and creates no contact', async () => {
    await postAction(buildClick());
    await postAction(buildClick({ wa_id: phone }));
    await postAction({ timestamp: nextTimestamp() });
    expect(await listContacts()).toEqual([]);
    expect(await listUnusedReports()).toEqual([
      'action:marketing_messages_link_click no-contact',
      'action:marketing_messages_link_click no-contact',
      'action:unknown incomplete',
    ]);
  });

  it('an action of a contact, such as a click, moves to the remaining contact when two contacts are merged', async () => {
    await receiveMessage({ phone });
    await receiveMessage({ userId: bsuid });
    await postAction(buildClick({ from: phone }));
    await receiveMessage({ phone, userId: bsuid });
    expect((await readHistory()).messages.map(({ type }: { type: string }) => type).sort()).toEqual([
      'text',
      'text',
      'text',
      'user_action',
    ]);
  });
});
