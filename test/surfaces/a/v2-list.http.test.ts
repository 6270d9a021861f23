import { beforeAll, describe, expect, it } from 'vitest';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { bindSends, HELLO } from '../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';
import { expectErrorV2, get, page, SMS, sendV2 } from './requests.js';

const heliograph = sharedApp();
let channel: TestChannel;
let account: TestAccount;
/** Message IDs in order of acceptance. */
let ids: string[];

const list = (query = '', caller = account) =>
  page<{ message_id: string }>(heliograph.app, `/v2/messages${query}`, caller);
const findIndexes = async (query: string) => (await list(query)).data.map((message) => ids.indexOf(message.message_id));

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
  account = channel.account;
  ids = [];
  for (const body of [
    { to: '15005550111', reference: 'a' },
    { to: '15005550112', from: 'Other' },
    { to: '15005550002', reference: 'a' },
    { to: '15005550111', channel: 'whatsapp', reference: 'b' },
    { to: '15005550111' },
  ]) {
    const response = await sendV2(heliograph.app, account, { ...SMS, ...body });
    expect(response.statusCode, response.body).toBe(200);
    ids.push(response.json().data[0].message_id);
  }
  const { sendTemplate } = bindSends(heliograph, channel);
  await sendTemplate(HELLO);
  await waitFor('the final status of all messages', async () => {
    const { data } = await list();
    return data.every((message) =>
      ['delivered', 'undelivered'].includes((message as { status?: string }).status ?? ''),
    );
  });
});

describe('GET /v2/messages', () => {
  it('lists messages sent by Surface A, newest first, each as GET /v2/messages/{message_id} returns it', async () => {
    const { data, next_cursor } = await list();
    expect(data.map((message) => ids.indexOf(message.message_id))).toEqual([4, 3, 2, 1, 0]);
    expect(next_cursor).toBeNull();
    const singleMessage = (await get(heliograph.app, `/v2/messages/${ids[3]}`, account)).json().data;
    const { parts, fallback, fallback_of, held_until, holds, ...entry } = singleMessage;
    expect(data[1]).toEqual(entry);
    expect([parts, fallback, fallback_of, held_until, holds]).toEqual([expect.any(Array), null, null, null, []]);
  });

  it.each([
    ['?to=15005550111', [4, 3, 0]],
    ['?to=%2B1%20(500)%20555-0112', [1]],
    [`?reference=${'x'.repeat(64)}`, []],
    ['?from=Other', [1]],
    ['?from=other', []],
    ['?status=undelivered', [2]],
    ['?status=DELIVERED&to=15005550112', [1]],
    ['?channel=whatsapp', [3]],
    ['?channel=sms&to=15005550111', [4, 0]],
    ['?reference=a', [2, 0]],
    ['?reference=a&status=undelivered', [2]],
    ['?reference=A', []],
    ['?created_from=2020-01-01T00:00:00Z&created_to=2100-01-01T00:00:00Z&reference=b', [3]],
    ['?created_to=2020-01-01T00:00:00Z', []],
    ['?created_from=2100-01-01T00:00:00Z', []],
    ['?created_from=0001-01-01T00:00:00Z&created_to=9999-12-31T23:59:59Z', [4, 3, 2, 1, 0]],
  ])('%s finds %j', async (query, expected) => {
    expect(await findIndexes(query)).toEqual(expected);
  });

  it('includes messages of created_from and excludes those of created_to', async () => {
    const { data } = await list();
    const times = (data as unknown as { history: { timestamp: string }[] }[]).map(
      ({ history }) => history[0]?.timestamp,
    );
    const [newest, , , , oldest] = times as [string, string, string, string, string];
    expect(await findIndexes(`?created_from=${newest}`)).toContain(4);
    expect(await findIndexes(`?created_from=${oldest}&created_to=${newest}`)).not.toContain(4);
  });

  it.each(['', '&reference=a'])('pages through the list by cursor%s', async (filter) => {
    const indexesByPage: number[][] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Awaited<ReturnType<typeof list>> = await list(`?limit=2${cursor && `&cursor=${cursor}`}${filter}`);
      indexesByPage.push(page.data.map((message) => ids.indexOf(message.message_id)));
      cursor = page.next_cursor;
    }
    expect(indexesByPage.flat()).toEqual(filter ? [2, 0] : [4, 3, 2, 1, 0]);
    expect(indexesByPage.every((page) => page.length <= 2)).toBe(true);
  });

  it.each(['00000000-0000-4000-8000-000000000000', 'ffffffff-ffff-4fff-bfff-ffffffffffff'])(
    'accepts any UUID as a cursor, even the made-up %s',
    async (cursor) => {
      for (const path of ['/v2/messages', '/v2/inbound']) {
        const { statusCode } = await get(heliograph.app, `${path}?cursor=${cursor}`, account);
        expect([path, statusCode]).toEqual([path, 200]);
      }
    },
  );

  it.each([
    ['?status=lost', ['status']],
    ['?channel=fax&created_to=yesterday', ['channel', 'created_to']],
    ['?limit=0', ['limit']],
    ['?cursor=x', ['cursor']],
    ['?to=abc', ['to']],
    ['?to=1500555O111', ['to']],
    ['?to=%2B', ['to']],
    ['?to=1500555011115005', ['to']],
    [`?reference=${'x'.repeat(65)}`, ['reference']],
  ])('refuses %s with a 400 that names %j', async (query, fields) => {
    expectErrorV2(await get(heliograph.app, `/v2/messages${query}`, account), 400, fields);
  });

  it('shows nothing of another account, with any cursor', async () => {
    const otherAccount = await createTestAccount(heliograph.deps);
    expect(await list('', otherAccount)).toMatchObject({ data: [], next_cursor: null });
    expect(await list('?cursor=ffffffff-ffff-ffff-ffff-ffffffffffff&reference=a', otherAccount)).toMatchObject({
      data: [],
    });
  });

  it('reads a limited number of rows per page, and skips messages without a ledger entry', async () => {
    const [smallAccount, busyAccount] = [
      await createTestAccount(heliograph.deps),
      await createTestAccount(heliograph.deps),
    ];
    const firstId = (await sendV2(heliograph.app, smallAccount, SMS)).json().data[0].message_id;
    // Simulates another account that sends more messages in two minutes than the server reads for one page.
    for (let batch = 0; batch < 4; batch++) {
      await heliograph.deps.pool.query(
        `INSERT INTO messages (id, account_id, created_at, valid_until, price_micros, surface, kind, status, priority, parts,
                               carrier, sender, recipient, body)
         SELECT (left(new_id()::text, 19) || '8' || right(gen_random_uuid()::text, 16))::uuid, $1, now(), now(), 0, 'a', 'sms',
                'delivered', 0, 1, 'simulator', 'x', '15005550111', 'x' FROM generate_series(1, 15000)`,
        [busyAccount.id],
      );
    }
    const lastId = (await sendV2(heliograph.app, smallAccount, SMS)).json().data[0].message_id;
    const page = await list('?limit=10', smallAccount);
    expect(page.data).toMatchObject([{ message_id: lastId }]);
    expect(page.next_cursor).not.toBeNull();
    const nextPage = await list(`?limit=10&cursor=${page.next_cursor}`, smallAccount);
    expect(nextPage).toMatchObject({ data: [{ message_id: firstId }], next_cursor: null });
  });
});
