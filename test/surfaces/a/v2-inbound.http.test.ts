import { beforeAll, describe, expect, it } from 'vitest';
import { receiveInbound } from '../../../src/features/inbound/receive.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';
import { expectErrorV2, get, ISO_MILLISECONDS, page } from './requests.js';

const heliograph = sharedApp({ role: 'api' });
let account: TestAccount;
let smsChannel: TestChannel;
let whatsappChannel: TestChannel;
/** Message IDs in order of arrival. */
let ids: string[];

const list = (query = '', caller = account) =>
  page<{ message_id: string; received_at: string }>(heliograph.app, `/v2/inbound${query}`, caller);
const findIndexes = async (query: string) => (await list(query)).data.map((message) => ids.indexOf(message.message_id));

async function receive(channel: TestChannel, kind: 'sms' | 'whatsapp', from: string): Promise<string> {
  const { channelId: id, phoneNumber, account: owner } = channel;
  const report = { from, type: 'text', body: `From ${from}`, payload: { body: `From ${from}` } };
  const receivedAt = new Date(Date.now() - 3_600_000);
  const carrierMessageId = newId();
  const receivingChannel = { id, accountId: owner.id, kind, phoneNumber };
  return (await receiveInbound(heliograph.deps, receivingChannel, { ...report, carrierMessageId, receivedAt }))
    .messageId;
}

beforeAll(async () => {
  smsChannel = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
  account = smsChannel.account;
  whatsappChannel = await createTestChannel(heliograph.deps, account);
  ids = [
    await receive(smsChannel, 'sms', '15005550111'),
    await receive(smsChannel, 'sms', '15005550112'),
    await receive(whatsappChannel, 'whatsapp', '15005550111'),
    await receive(smsChannel, 'sms', '15005550111'),
  ];
});

describe('GET /v2/inbound', () => {
  it('lists messages to all channels of the account, newest first', async () => {
    const { data, next_cursor } = await list();
    expect(data.map((message) => ids.indexOf(message.message_id))).toEqual([3, 2, 1, 0]);
    expect(next_cursor).toBeNull();
    expect(data[0]).toEqual({
      message_id: ids[3],
      channel: 'sms',
      channel_id: smsChannel.channelId,
      contactId: expect.any(String),
      from: '15005550111',
      userId: null,
      username: null,
      to: smsChannel.phoneNumber,
      type: 'text',
      message: 'From 15005550111',
      payload: { body: 'From 15005550111' },
      timestamp: expect.stringMatching(ISO_MILLISECONDS),
      received_at: expect.stringMatching(ISO_MILLISECONDS),
    });
  });

  it('filters by sender, number, channel and time', async () => {
    expect(await findIndexes('?from=%2B15005550111')).toEqual([3, 2, 0]);
    expect(await findIndexes(`?from=15005550111&to=${smsChannel.phoneNumber}`)).toEqual([3, 0]);
    expect(await findIndexes(`?to=${whatsappChannel.phoneNumber}`)).toEqual([2]);
    expect(await findIndexes('?channel=WhatsApp')).toEqual([2]);
    expect(await findIndexes('?from=15005550119')).toEqual([]);
    const times = (await list()).data.map((message) => message.received_at);
    expect(await findIndexes(`?received_from=${times[0]}`)).toContain(3);
    expect(await findIndexes(`?received_to=${times[0]}&from=15005550111`)).not.toContain(3);
    expect(await findIndexes('?received_to=2020-01-01T00:00:00Z')).toEqual([]);
    expect(await findIndexes('?received_from=2100-01-01T00:00:00Z')).toEqual([]);
  });

  it.each(['', '&from=15005550111'])('pages through the list by cursor%s', async (filter) => {
    const seenIndexes: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Awaited<ReturnType<typeof list>> = await list(`?limit=2${cursor && `&cursor=${cursor}`}${filter}`);
      expect(page.data.length).toBeLessThanOrEqual(2);
      seenIndexes.push(...page.data.map((message) => ids.indexOf(message.message_id)));
      cursor = page.next_cursor;
    }
    expect(seenIndexes).toEqual(filter ? [3, 2, 0] : [3, 2, 1, 0]);
  });

  it('returns 400 for an invalid filter', async () => {
    const refusal = await get(heliograph.app, '/v2/inbound?channel=fax&received_from=now', account);
    expectErrorV2(refusal, 400, ['channel', 'received_from']);
    expectErrorV2(await get(heliograph.app, '/v2/inbound?cursor=1', account), 400, ['cursor']);
    expectErrorV2(await get(heliograph.app, '/v2/inbound?from=Heliograph&to=-', account), 400, ['from', 'to']);
  });

  it('shows nothing of another account', async () => {
    const otherAccount = await createTestAccount(heliograph.deps);
    expect(await list('', otherAccount)).toMatchObject({ data: [], next_cursor: null });
    expect((await list('?from=15005550111', otherAccount)).data).toEqual([]);
  });
});
