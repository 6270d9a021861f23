import { describe, expect, it } from 'vitest';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { callGraph, readGraphIds } from '../../support/graph-calls.js';
import { graphSuite } from './graph-suite.js';

const suite = graphSuite();
const PROFILE = {
  about: 'We repair lamps',
  address: '1 Pier',
  description: 'Lamps of all kinds',
  email: 'hello@example.com',
  vertical: 'RETAIL',
  websites: ['https://example.com', 'http://example.org/lamps'],
};

async function openProfile(channel: TestChannel) {
  const { phoneNumberId } = await readGraphIds(suite.heliograph, channel);
  const path = `/${phoneNumberId}/whatsapp_business_profile`;
  const request = (method: 'GET' | 'POST', query = '', body?: object) =>
    callGraph(suite.heliograph, channel, method, path + query, body);
  return {
    read: async (query = '') => {
      const response = await request('GET', query);
      expect(response.statusCode, response.body).toBe(200);
      return response.json().data;
    },
    change: (fields: object) => request('POST', '', { messaging_product: 'whatsapp', ...fields }),
  };
}

describe('a business profile', () => {
  it.each([
    ['stored at Meta', async () => suite.channel],
    ['stored here for the simulator', () => createTestChannel(suite.heliograph.deps)],
  ] as const)('is read and changed: %s', async (_whose, getChannel) => {
    const { read, change } = await openProfile(await getChannel());
    expect(await read()).toEqual([{ messaging_product: 'whatsapp' }]);
    const changeResponse = await change({ ...PROFILE, unknown: 'left out' });
    expect([changeResponse.statusCode, changeResponse.json()]).toEqual([200, { success: true }]);
    expect(await read()).toEqual([{ messaging_product: 'whatsapp', ...PROFILE }]);
    expect(await read('?fields=about,%20vertical,nothing')).toEqual([
      { messaging_product: 'whatsapp', about: PROFILE.about, vertical: 'RETAIL' },
    ]);
    await change({ about: 'Lamps', email: '', websites: [], address: null });
    const { email: _email, websites: _websites, ...expectedProfile } = { ...PROFILE, about: 'Lamps' };
    expect(await read()).toEqual([{ messaging_product: 'whatsapp', ...expectedProfile }]);
  });

  it('has a picture if Meta stores the profile', async () => {
    const picture = { profile_picture_handle: '4::aW1hZ2U=' };
    const metaProfile = await openProfile(suite.channel);
    expect((await metaProfile.change(picture)).statusCode).toBe(200);
    expect(await metaProfile.read('?fields=profile_picture_url')).toEqual([
      { messaging_product: 'whatsapp', profile_picture_url: expect.stringContaining('aW1hZ2U') },
    ]);
    const simulatorProfile = await openProfile(await createTestChannel(suite.heliograph.deps));
    const refusal = await simulatorProfile.change(picture);
    expect([refusal.statusCode, refusal.json().error]).toMatchObject([
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
    const { read, change } = await openProfile(suite.channel);
    const profileBefore = await read();
    const response = await change({ [field]: value });
    expect([response.statusCode, response.json().error]).toMatchObject([
      400,
      { code: 100, error_data: { details: expect.stringMatching(new RegExp(`^${field}(\\[0\\])? must be`)) } },
    ]);
    expect(await read()).toEqual(profileBefore);
  });

  it("shows Meta's error if Meta refuses a change", async () => {
    const { change } = await openProfile(suite.channel);
    const response = await change({ vertical: 'NOWHERE' });
    expect([response.statusCode, response.json().error.code]).toEqual([400, 100]);
  });
});
