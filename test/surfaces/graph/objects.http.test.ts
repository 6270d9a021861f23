import { beforeAll, describe, expect, it } from 'vitest';
import { createChannelKey } from '../../../src/accounts/keys.js';
import { addTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { buildToken, callGraph, readGraphIds } from '../../support/graph-calls.js';
import { sharedApp } from '../../support/suite.js';

const heliograph = sharedApp();
let channel: TestChannel;
let ids: Awaited<ReturnType<typeof readGraphIds>>;

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
  ids = await readGraphIds(heliograph, channel);
});

const get = (path: string, from = channel) => callGraph(heliograph, from, 'GET', path);

describe('GET /graph/v26.0/{id}', () => {
  it('shows a phone number, with all or some fields', async () => {
    const whole = await get(`/${ids.phoneNumberId}`);
    expect(whole.statusCode, whole.body).toBe(200);
    expect(whole.json()).toEqual({
      id: ids.phoneNumberId,
      display_phone_number: `+${channel.phoneNumber}`,
      verified_name: 'Test channel',
      quality_rating: 'UNKNOWN',
      code_verification_status: 'VERIFIED',
      platform_type: 'CLOUD_API',
      status: 'CONNECTED',
    });
    const some = await get(`/${ids.phoneNumberId}?fields=verified_name,%20quality_rating,throughput`);
    expect(some.json()).toEqual({
      id: ids.phoneNumberId,
      verified_name: 'Test channel',
      quality_rating: 'UNKNOWN',
    });
  });

  it('shows a business account and its phone numbers', async () => {
    expect((await get(`/${ids.businessAccountId}`)).json()).toEqual({
      id: ids.businessAccountId,
      name: 'Test channel',
    });
    const numbers = await get(`/${ids.businessAccountId}/phone_numbers?fields=display_phone_number`);
    expect(numbers.json().data).toEqual([{ id: ids.phoneNumberId, display_phone_number: `+${channel.phoneNumber}` }]);
  });

  it('uses numeric IDs that do not change', async () => {
    expect(ids.phoneNumberId).toMatch(/^[1-9]\d{14}$/);
    expect(ids.businessAccountId).toMatch(/^[1-9]\d{14}$/);
    expect(ids.phoneNumberId).not.toBe(ids.businessAccountId);
    expect(await readGraphIds(heliograph, channel)).toEqual(ids);
  });

  it('shows both numbers for a key of two channels', async () => {
    const second = await createTestChannel(heliograph.deps, channel.account);
    const { key, secret } = await createChannelKey(heliograph.deps.prisma, {
      accountId: channel.account.id,
      name: 'Both',
      scopes: ['full'],
      channelIds: [channel.channelId, second.channelId],
    });
    const both = { headers: { 'x-api-key': key, 'x-api-secret': secret, 'x-channel-id': '' } };
    for (const each of [channel, second]) {
      const { phoneNumberId } = await readGraphIds(heliograph, each);
      const response = await callGraph(heliograph, both, 'GET', `/${phoneNumberId}`);
      expect(response.json().display_phone_number).toBe(`+${each.phoneNumber}`);
    }
  });
});

describe('message templates', () => {
  let own: TestChannel;
  let account: string;
  beforeAll(async () => {
    own = await createTestChannel(heliograph.deps);
    account = (await readGraphIds(heliograph, own)).businessAccountId;
    for (const name of ['one', 'two', 'three']) await addTemplate(heliograph, own, { name });
    await addTemplate(heliograph, own, { name: 'four', status: 'PENDING', language: 'de' });
  });
  const names = async (query: string) =>
    (await get(`/${account}/message_templates${query}`, own)).json().data.map(({ name }: { name: string }) => name);

  it('are listed with their fields, newest first', async () => {
    const response = await get(`/${account}/message_templates`, own);
    expect(response.statusCode, response.body).toBe(200);
    const { data, paging } = response.json();
    expect(data[0]).toEqual({
      id: expect.stringMatching(/^\d{15}$/),
      name: 'four',
      quality_score: { score: 'UNKNOWN' },
      status: 'PENDING',
      language: 'de',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Hello' }],
    });
    expect(data).toHaveLength(4);
    expect(paging).toEqual({ cursors: { before: expect.any(String), after: expect.any(String) } });
  });

  it('are filtered by name, status, language and category, with the requested fields', async () => {
    expect(await names('?name=two')).toEqual(['two']);
    expect(await names('?status=approved')).toEqual(['three', 'two', 'one']);
    expect(await names('?language=de')).toEqual(['four']);
    expect(await names('?category=marketing')).toEqual([]);
    const { data } = (await get(`/${account}/message_templates?name=one&fields=name,status`, own)).json();
    expect(data).toEqual([{ id: expect.any(String), name: 'one', status: 'APPROVED' }]);
  });

  it('are paged by the URLs of the answer, with the token from the query', async () => {
    const url = `/graph/v14.0/${account}/message_templates?limit=3&access_token=${buildToken(own)}`;
    const first = (await heliograph.app.inject({ url })).json();
    expect(first.data.map(({ name }: { name: string }) => name)).toEqual(['four', 'three', 'two']);
    expect(first.paging.previous).toBeUndefined();
    const next = new URL(first.paging.next);
    const second = (await heliograph.app.inject({ url: next.pathname + next.search })).json();
    expect(second.data.map(({ name }: { name: string }) => name)).toEqual(['one']);
    expect(second.paging.next).toBeUndefined();
    const previous = new URL(second.paging.previous);
    const back = (await heliograph.app.inject({ url: previous.pathname + previous.search })).json();
    expect(back.data).toEqual(first.data);
    const byHeader = (await get(`/${account}/message_templates?limit=1`, own)).json();
    expect(byHeader.paging.next).not.toContain('access_token');
    const lost = await get(`/${account}/message_templates?after=bm90aGluZw`, own);
    expect(lost.json().error).toMatchObject({
      code: 100,
      error_data: { details: 'after is not a cursor of this list' },
    });
  });

  it('are created and deleted in every language, or in the one identified by an ID', async () => {
    const draft = (language: string) => ({
      name: 'bill',
      language,
      category: 'UTILITY',
      components: [{ type: 'body', text: 'Your bill {{1}} is here.', example: { body_text: [['7']] } }],
    });
    const create = (body: object) => callGraph(heliograph, own, 'POST', `/${account}/message_templates`, body);
    const made = await create(draft('en_US'));
    expect(made.statusCode, made.body).toBe(200);
    expect(made.json()).toEqual({
      id: expect.stringMatching(/^\d{15}$/),
      status: expect.stringMatching(/^(PENDING|APPROVED)$/),
      category: 'UTILITY',
    });
    const again = await create(draft('en_US'));
    expect([again.statusCode, again.json().error.code]).toEqual([400, 100]);
    await create(draft('de'));
    await create(draft('fr'));
    const remove = (query: string) => callGraph(heliograph, own, 'DELETE', `/${account}/message_templates?${query}`);
    expect((await remove(`name=bill&hsm_id=${made.json().id}`)).json()).toEqual({ success: true });
    const left = (await get(`/${account}/message_templates?name=bill&fields=language`, own)).json().data;
    expect(left.map(({ language }: { language: string }) => language)).toEqual(['fr', 'de']);
    expect((await remove('name=bill')).json()).toEqual({ success: true });
    expect(await names('?name=bill')).toEqual([]);
    expect((await remove('name=bill')).json().error).toMatchObject({ code: 100 });
    expect((await remove('')).json().error.error_data.details).toBe('name is required');
  });
});
