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

const get = (path: string, caller = channel) => callGraph(heliograph, caller, 'GET', path);

describe('GET /graph/v26.0/{id}', () => {
  it('shows a phone number, with all or some fields', async () => {
    const fullResponse = await get(`/${ids.phoneNumberId}`);
    expect(fullResponse.statusCode, fullResponse.body).toBe(200);
    expect(fullResponse.json()).toEqual({
      id: ids.phoneNumberId,
      display_phone_number: `+${channel.phoneNumber}`,
      verified_name: 'Test channel',
      quality_rating: 'UNKNOWN',
      code_verification_status: 'VERIFIED',
      platform_type: 'CLOUD_API',
      status: 'CONNECTED',
    });
    const partialResponse = await get(`/${ids.phoneNumberId}?fields=verified_name,%20quality_rating,throughput`);
    expect(partialResponse.json()).toEqual({
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
    const numbersResponse = await get(`/${ids.businessAccountId}/phone_numbers?fields=display_phone_number`);
    expect(numbersResponse.json().data).toEqual([
      { id: ids.phoneNumberId, display_phone_number: `+${channel.phoneNumber}` },
    ]);
  });

  it('uses numeric IDs that do not change', async () => {
    expect(ids.phoneNumberId).toMatch(/^[1-9]\d{14}$/);
    expect(ids.businessAccountId).toMatch(/^[1-9]\d{14}$/);
    expect(ids.phoneNumberId).not.toBe(ids.businessAccountId);
    expect(await readGraphIds(heliograph, channel)).toEqual(ids);
  });

  it('shows both numbers for a key of two channels', async () => {
    const secondChannel = await createTestChannel(heliograph.deps, channel.account);
    const { key, secret } = await createChannelKey(heliograph.deps.prisma, {
      accountId: channel.account.id,
      name: 'Both',
      scopes: ['full'],
      channelIds: [channel.channelId, secondChannel.channelId],
    });
    const callerOfBoth = { headers: { 'x-api-key': key, 'x-api-secret': secret, 'x-channel-id': '' } };
    for (const listedChannel of [channel, secondChannel]) {
      const { phoneNumberId } = await readGraphIds(heliograph, listedChannel);
      const response = await callGraph(heliograph, callerOfBoth, 'GET', `/${phoneNumberId}`);
      expect(response.json().display_phone_number).toBe(`+${listedChannel.phoneNumber}`);
    }
  });
});

describe('message templates', () => {
  let freshChannel: TestChannel;
  let account: string;
  beforeAll(async () => {
    freshChannel = await createTestChannel(heliograph.deps);
    account = (await readGraphIds(heliograph, freshChannel)).businessAccountId;
    for (const name of ['one', 'two', 'three']) await addTemplate(heliograph, freshChannel, { name });
    await addTemplate(heliograph, freshChannel, { name: 'four', status: 'PENDING', language: 'de' });
  });
  const listNames = async (query: string) =>
    (await get(`/${account}/message_templates${query}`, freshChannel))
      .json()
      .data.map(({ name }: { name: string }) => name);

  it('are listed with their fields, newest first', async () => {
    const response = await get(`/${account}/message_templates`, freshChannel);
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
    expect(await listNames('?name=two')).toEqual(['two']);
    expect(await listNames('?status=approved')).toEqual(['three', 'two', 'one']);
    expect(await listNames('?language=de')).toEqual(['four']);
    expect(await listNames('?category=marketing')).toEqual([]);
    const { data } = (await get(`/${account}/message_templates?name=one&fields=name,status`, freshChannel)).json();
    expect(data).toEqual([{ id: expect.any(String), name: 'one', status: 'APPROVED' }]);
  });

  it('are paged by the URLs in the response, with the token from the query', async () => {
    const url = `/graph/v14.0/${account}/message_templates?limit=3&access_token=${buildToken(freshChannel)}`;
    const firstPage = (await heliograph.app.inject({ url })).json();
    expect(firstPage.data.map(({ name }: { name: string }) => name)).toEqual(['four', 'three', 'two']);
    expect(firstPage.paging.previous).toBeUndefined();
    const nextUrl = new URL(firstPage.paging.next);
    const secondPage = (await heliograph.app.inject({ url: nextUrl.pathname + nextUrl.search })).json();
    expect(secondPage.data.map(({ name }: { name: string }) => name)).toEqual(['one']);
    expect(secondPage.paging.next).toBeUndefined();
    const previousUrl = new URL(secondPage.paging.previous);
    const previousPage = (await heliograph.app.inject({ url: previousUrl.pathname + previousUrl.search })).json();
    expect(previousPage.data).toEqual(firstPage.data);
    const pageByHeader = (await get(`/${account}/message_templates?limit=1`, freshChannel)).json();
    expect(pageByHeader.paging.next).not.toContain('access_token');
    const refusal = await get(`/${account}/message_templates?after=bm90aGluZw`, freshChannel);
    expect(refusal.json().error).toMatchObject({
      code: 100,
      error_data: { details: 'after is not a cursor of this list' },
    });
  });

  it('are created, and deleted in all languages or in one language by ID', async () => {
    const draft = (language: string) => ({
      name: 'bill',
      language,
      category: 'UTILITY',
      components: [{ type: 'body', text: 'Your bill {{1}} is here.', example: { body_text: [['7']] } }],
    });
    const create = (body: object) => callGraph(heliograph, freshChannel, 'POST', `/${account}/message_templates`, body);
    const createResponse = await create(draft('en_US'));
    expect(createResponse.statusCode, createResponse.body).toBe(200);
    expect(createResponse.json()).toEqual({
      id: expect.stringMatching(/^\d{15}$/),
      status: expect.stringMatching(/^(PENDING|APPROVED)$/),
      category: 'UTILITY',
    });
    const repeatedResponse = await create(draft('en_US'));
    expect([repeatedResponse.statusCode, repeatedResponse.json().error.code]).toEqual([400, 100]);
    await create(draft('de'));
    await create(draft('fr'));
    const remove = (query: string) =>
      callGraph(heliograph, freshChannel, 'DELETE', `/${account}/message_templates?${query}`);
    expect((await remove(`name=bill&hsm_id=${createResponse.json().id}`)).json()).toEqual({ success: true });
    const remaining = (await get(`/${account}/message_templates?name=bill&fields=language`, freshChannel)).json().data;
    expect(remaining.map(({ language }: { language: string }) => language)).toEqual(['fr', 'de']);
    expect((await remove('name=bill')).json()).toEqual({ success: true });
    expect(await listNames('?name=bill')).toEqual([]);
    expect((await remove('name=bill')).json().error).toMatchObject({ code: 100 });
    expect((await remove('')).json().error.error_data.details).toBe('name is required');
  });
});
