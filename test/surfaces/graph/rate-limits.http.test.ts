import { GraphApiError, WhatsAppClient } from '@kapso/whatsapp-cloud-api';
import { describe, expect, it } from 'vitest';
import { createTestChannel, createTestKey } from '../../support/channels.js';
import { buildToken, callGraph, readGraphIds } from '../../support/graph-calls.js';
import { suiteApp } from '../../support/suite.js';
import { withinWindow } from '../../support/within-window.js';

const heliograph = suiteApp({ role: 'api', settings: { RATE_LIMIT_PER_SECOND: '2', SEND_WAIT_MS: '1' } });

const TOO_MANY = {
  error: {
    message: '(#130429) Too many requests',
    type: 'OAuthException',
    code: 130429,
    error_data: { messaging_product: 'whatsapp', details: 'Too many requests with this key.' },
    fbtrace_id: expect.any(String),
  },
};

describe('the rate limit of a token', () => {
  it('allows RATE_LIMIT_PER_SECOND requests, then returns 429 with Meta’s code 130429 and Retry-After', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const { phoneNumberId, businessAccountId } = await readGraphIds(heliograph, channel);
    const paths = [`/${phoneNumberId}`, `/${businessAccountId}/message_templates`, `/${businessAccountId}`];
    await withinWindow(async () => {
      const key = await createTestKey(heliograph.deps, channel);
      const responses = await Promise.all([...paths, ...paths].map((path) => callGraph(heliograph, key, 'GET', path)));
      const refusals = responses.filter(({ statusCode }) => statusCode === 429);
      expect(refusals).toHaveLength(4);
      for (const response of refusals) {
        expect(response.json()).toEqual(TOO_MANY);
        expect(response.headers).toMatchObject({ 'retry-after': '1', 'x-ratelimit-limit': '2' });
      }
      const sendResponse = await callGraph(heliograph, key, 'POST', `/${phoneNumberId}/messages`, {
        messaging_product: 'whatsapp',
      });
      expect([sendResponse.statusCode, sendResponse.json()]).toEqual([429, TOO_MANY]);
    });
    const otherChannel = await createTestChannel(heliograph.deps);
    expect((await callGraph(heliograph, otherChannel, 'GET', '/1')).statusCode).toBe(400);
  });

  it('is reported to a client with the time to wait', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const { phoneNumberId } = await readGraphIds(heliograph, channel);
    const createClient = (accessToken: string) =>
      new WhatsAppClient({
        baseUrl: 'http://127.0.0.1/graph',
        accessToken,
        fetch: async (url, init = {}) => {
          const response = await heliograph.app.inject({
            method: 'GET',
            url: new URL(String(url)).pathname,
            headers: init.headers as Record<string, string>,
          });
          return new Response(response.body, {
            status: response.statusCode,
            headers: response.headers as Record<string, string>,
          });
        },
      });
    await withinWindow(async () => {
      const client = createClient(buildToken(await createTestKey(heliograph.deps, channel)));
      const getProfile = () => client.phoneNumbers.businessProfile.get({ phoneNumberId });
      const errors = (await Promise.allSettled([getProfile(), getProfile(), getProfile(), getProfile()])).flatMap(
        (result) => (result.status === 'rejected' ? [result.reason] : []),
      );
      expect(errors).toHaveLength(2);
      for (const error of errors) {
        expect(error).toBeInstanceOf(GraphApiError);
        expect(error.isRateLimit()).toBe(true);
        expect(error.retry).toEqual({ action: 'retry_after', retryAfterMs: 1000 });
      }
    });
  });

  it('returns 429 after 20 failed authentications from an address', async () => {
    const responses = await Promise.all(
      Array.from({ length: 30 }, () =>
        heliograph.app.inject({
          url: '/graph/v26.0/1',
          headers: { authorization: 'Bearer nobody.knows' },
          remoteAddress: '198.51.100.7',
        }),
      ),
    );
    const codes = responses.map((response) => `${response.statusCode} ${response.json().error.code}`).sort();
    expect(codes).toEqual([...Array(20).fill('401 190'), ...Array(10).fill('429 130429')]);
    for (const response of responses.filter(({ statusCode }) => statusCode === 429)) {
      expect(Number(response.headers['retry-after'])).toBe(1);
    }
  });
});
