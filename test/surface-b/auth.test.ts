import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { type TestApp, testApp } from '../support/test-app.js';

let heliograph: TestApp;
let channel: TestChannel;

beforeAll(async () => {
  heliograph = await testApp();
  channel = await createTestChannel(heliograph.deps);
});
afterAll(() => heliograph?.close());

describe('the three headers of Surface B', () => {
  it('let a request pass', async () => {
    const response = await heliograph.app.inject({ url: '/api/v1/account', headers: channel.headers });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ success: true, data: { channel: { id: channel.channelId } } });
  });
  it('x', async () => {
    const response = await heliograph.app.inject({ url: '/api/v1/account' });
    expect(response.statusCode).toBe(401);
    expect(response.json()).toMatchObject({ success: false, error: { code: 'UNAUTHORIZED' } });
  });
});
