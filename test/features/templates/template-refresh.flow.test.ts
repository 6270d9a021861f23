import { beforeEach, describe, expect, it } from 'vitest';
import type { Carrier } from '../../../src/carriers/carrier.js';
import type { CarrierTemplate } from '../../../src/carriers/templates.js';
import { TemplateRefresh } from '../../../src/features/templates/template-refresh.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';
import { expectErrorV2, sendV2 } from '../../surfaces/a/requests.js';

const HOUR_MS = 3_600_000;
const OFFER: CarrierTemplate = {
  name: 'offer',
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  components: [{ type: 'BODY', text: 'Hello' }],
};

const heliograph = sharedApp({ role: 'api' });
let channel: TestChannel;

beforeEach(async () => {
  channel = await createTestChannel(heliograph.deps);
});

const setSyncedAt = (templatesSyncedAt: Date | null) =>
  heliograph.deps.prisma.channel.update({ where: { id: channel.channelId }, data: { templatesSyncedAt } });

function createRefresh(list: () => Promise<CarrierTemplate[]>) {
  let listCount = 0;
  let now = Date.now();
  const listTemplates = () => {
    listCount++;
    return list();
  };
  const carriers = { get: () => ({ listTemplates }) as Partial<Carrier> as Carrier };
  const refresh = new TemplateRefresh({ ...heliograph.deps, carriers, now: () => now });
  return {
    ask: () => refresh.refresh(channel.account.id, channel.channelId),
    countLists: () => listCount,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

describe('the templates of a channel, when a send names an unknown one', () => {
  it('templates of a channel are not synced if the channel never completed a sync', async () => {
    const { ask, countLists } = createRefresh(async () => [OFFER]);
    expect(await ask()).toBe(false);
    expect(countLists()).toBe(0);
  });

  it('templates of a channel are synced once by concurrent requests, and at most once a minute', async () => {
    await setSyncedAt(new Date(Date.now() - HOUR_MS));
    const { ask, countLists, pass } = createRefresh(async () => [OFFER]);
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([true, true, true]);
    expect(countLists()).toBe(1);
    expect(await heliograph.deps.prisma.template.count({ where: { channelId: channel.channelId } })).toBe(1);
    expect(await ask()).toBe(true);
    expect(countLists()).toBe(1);
    pass(61_000);
    expect(await ask()).toBe(true);
    expect(countLists()).toBe(2);
  });

  it('templates of a channel stay unknown if the carrier fails, which is called at most once a minute', async () => {
    await setSyncedAt(new Date(Date.now() - HOUR_MS));
    const { ask, countLists, pass } = createRefresh(() => Promise.reject(new Error('away')));
    expect(await Promise.all([ask(), ask()])).toEqual([false, false]);
    expect(await ask()).toBe(false);
    expect(countLists()).toBe(1);
    pass(61_000);
    expect(await ask()).toBe(false);
    expect(countLists()).toBe(2);
  });
});

describe('POST /v2/send with an unknown template', () => {
  const send = (template: object) =>
    sendV2(heliograph.app, channel.account, { to: '15005550111', from: channel.phoneNumber, ...template });
  const countMessages = () => heliograph.deps.prisma.message.count({ where: { accountId: channel.account.id } });

  it('POST /v2/send with an unknown template responds 400 for template_id and queues nothing if the channel has synced its templates', async () => {
    await setSyncedAt(new Date(Date.now() - HOUR_MS));
    for (const template of [
      { template_id: 'nothing' },
      { template_id: 'x', template_data: { name: 'nothing', language: { code: 'en_US' } } },
    ]) {
      const response = await send(template);
      expectErrorV2(response, 400, ['template_id']);
      expect(response.json().message).toBe('template_id names no template of the channel: "nothing" (en_US)');
    }
    expect(await countMessages()).toBe(0);
  });

  it('POST /v2/verifications with an unknown template responds 400 for template_id and sends no code', async () => {
    await setSyncedAt(new Date(Date.now() - HOUR_MS));
    const response = await heliograph.app.inject({
      method: 'POST',
      url: '/v2/verifications',
      headers: channel.account.headers,
      payload: {
        to: '15005550111',
        from: channel.phoneNumber,
        channel: 'whatsapp',
        template_id: 'nothing',
        app_name: 'Shop',
      },
    });
    expectErrorV2(response, 400, ['template_id']);
    expect(await countMessages()).toBe(0);
    expect(await heliograph.deps.prisma.verification.count({ where: { accountId: channel.account.id } })).toBe(0);
  });

  it('POST /v2/send with an unknown template passes the template to the carrier if the channel never synced', async () => {
    expect((await send({ template_id: 'nothing' })).statusCode).toBe(200);
    expect(await countMessages()).toBe(1);
  });
});
