import { describe, expect, it } from 'vitest';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { callGraph, readGraphIds } from '../../support/graph-calls.js';
import { graphWorld } from './world.js';

const world = graphWorld();
const LAMPS = {
  about: 'We repair lamps',
  address: '1 Pier',
  description: 'Lamps of all kinds',
  email: 'hello@example.com',
  vertical: 'RETAIL',
  websites: ['https://example.com', 'http://example.org/lamps'],
};

async function profileOf(channel: TestChannel) {
  const { phoneNumberId } = await readGraphIds(world.heliograph, channel);
  const path = `/${phoneNumberId}/whatsapp_business_profile`;
  const ask = (method: 'GET' | 'POST', query = '', body?: object) =>
    callGraph(world.heliograph, channel, method, path + query, body);
  return {
    read: async (query = '') => {
      const answer = await ask('GET', query);
      expect(answer.statusCode, answer.body).toBe(200);
      return answer.json().data;
    },
    change: (fields: object) => ask('POST', '', { messaging_product: 'whatsapp', ...fields }),
  };
}

describe('a business profile', () => {
  it.each([
    ['of Meta, by Meta', async () => world.channel],
    ['of the simulator, here', () => createTestChannel(world.heliograph.deps)],
  ] as const)('is read and changed: %s', async (_whose, channelOf) => {
    const { read, change } = await profileOf(await channelOf());
    expect(await read()).toEqual([{ messaging_product: 'whatsapp' }]);
    const changed = await change({ ...LAMPS, unknown: 'left out' });
    expect([changed.statusCode, changed.json()]).toEqual([200, { success: true }]);
    expect(await read()).toEqual([{ messaging_product: 'whatsapp', ...LAMPS }]);
    expect(await read('?fields=about,%20vertical,nothing')).toEqual([
      { messaging_product: 'whatsapp', about: LAMPS.about, vertical: 'RETAIL' },
    ]);
    await change({ about: 'Lamps', email: '', websites: [], address: null });
    const { email: _email, websites: _websites, ...left } = { ...LAMPS, about: 'Lamps' };
    expect(await read()).toEqual([{ messaging_product: 'whatsapp', ...left }]);
  });

  it('has a picture if Meta stores it', async () => {
    const picture = { profile_picture_handle: '4::aW1hZ2U=' };
    const atMeta = await profileOf(world.channel);
    expect((await atMeta.change(picture)).statusCode).toBe(200);
    expect(await atMeta.read('?fields=profile_picture_url')).toEqual([
      { messaging_product: 'whatsapp', profile_picture_url: expect.stringContaining('aW1hZ2U') },
    ]);
    const here = await profileOf(await createTestChannel(world.heliograph.deps));
    const refused = await here.change(picture);
    expect([refused.statusCode, refused.json().error]).toMatchObject([
      400,
      { code: 100, error_data: { details: expect.stringContaining('profile_picture_handle cannot be set') } },
    ]);
  });

  it.each([
    ['about', ''],
    ['about', 'x'.repeat(140)],
    ['address', 'x'.repeat(257)],
    ['description', 'x'.repeat(513)],
    ['email', 'x'.repeat(129)],
    ['vertical', 'shop'],
    ['websites', ['https://a.example', 'https://b.example', 'https://c.example']],
    ['websites', ['ftp://example.com']],
    ['websites', [`https://${'x'.repeat(249)}`]],
    ['messaging_product', 'sms'],
  ])('is refused for %s: %j', async (field, value) => {
    const { read, change } = await profileOf(world.channel);
    const before = await read();
    const answer = await change({ [field]: value });
    expect([answer.statusCode, answer.json().error]).toMatchObject([
      400,
      { code: 100, error_data: { details: expect.stringMatching(new RegExp(`^${field}(\\[0\\])? must be`)) } },
    ]);
    expect(await read()).toEqual(before);
  });

  it('reports what Meta refuses', async () => {
    const { change } = await profileOf(world.channel);
    const answer = await change({ vertical: 'NOWHERE' });
    expect([answer.statusCode, answer.json().error.code]).toEqual([400, 100]);
  });
});
