import { describe, expect, it } from 'vitest';
import { createChannelKey } from '../../../src/accounts/keys.js';
import { createChannel } from '../../../src/features/channels/channels.js';
import { receiveSms } from '../../../src/features/inbound/receive-sms.js';
import { newId } from '../../../src/platform/ids.js';
import { createMetaChannel, suiteCloudApi } from '../../carriers/whatsapp-cloud/meta-channel.js';
import { run } from '../../cli/run.js';
import { createAutomation, triggerAutomation } from '../../support/automations.js';
import { createCampaign } from '../../support/campaigns.js';
import { buildEnvelope, buildInbound, buildStatus, postWebhook } from '../../support/carriers/cloud-api/webhooks.js';
import { call, playInbound } from '../../support/channel-calls.js';
import { createGroup, createTemplate } from '../../support/channel-contents.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { createTestOperator } from '../../support/operators.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const heliograph = suiteApp();
const stub = suiteCloudApi();

const runCommand = (...args: string[]) => run({ DATABASE_URL: heliograph.databaseUrl }, ...args);
const runForJson = async (...args: string[]) => JSON.parse((await runCommand('--json', ...args)).stdout);
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

const expectRefused = (status: number, headers: TestChannel['headers']) =>
  waitFor(`the key to get ${status}`, async () => {
    const response = await call(heliograph, { headers }, 'GET', '/account');
    return response.statusCode === status;
  });

describe('heliograph channel delete', () => {
  it('deleting a channel is refused while work is unfinished, and the error names the work', async () => {
    const channel = await createTestChannel(heliograph.deps);
    await createTemplate(heliograph.deps, channel, { name: 'hello' });
    const { id: groupId } = await createGroup(heliograph.deps, channel);
    const campaign = await createCampaign(heliograph, channel, { groupId, scheduledAt: inAnHour() });
    const send = await heliograph.app.inject({
      ...{ method: 'POST', url: '/v2/send', headers: channel.account.headers },
      payload: {
        channel: 'whatsapp',
        from: channel.phoneNumber,
        to: '15005550100',
        message: 'Hi',
        scheduled_at: inAnHour(),
      },
    });
    expect(send.statusCode).toBe(200);
    const refusal = await runCommand('channel', 'delete', channel.channelId);
    expect(refusal).toMatchObject({ code: 1, stdout: '' });
    expect(refusal.stderr).toContain('1 message is not sent yet');
    expect(refusal.stderr).toContain(`1 campaign is scheduled or running (${campaign.id})`);
    const plan = await runForJson('channel', 'delete', channel.channelId, '--dry-run');
    expect(plan).toMatchObject({ deleted: false, messages: 1, campaigns: [campaign.id], keys: 1 });
    expect(plan.refusal).toContain('is in use');

    await call(heliograph, channel, 'POST', `/campaigns/${campaign.id}/cancel`);
    const id = /[0-9a-f-]{36}/.exec(send.body)?.[0];
    await heliograph.app.inject({ method: 'POST', url: `/v2/messages/${id}/cancel`, headers: channel.account.headers });
    expect(await runForJson('channel', 'delete', channel.channelId, '--dry-run')).toMatchObject({ refusal: null });
    expect(await runCommand('channel', 'delete', channel.channelId)).toMatchObject({ code: 0, stderr: '' });
    expect((await runCommand('channel', 'delete', channel.channelId)).stderr).toBe(
      `there is no channel ${channel.channelId}\n`,
    );
  });

  it('deleting a channel ends keys, automations, runs and webhooks, and keeps messages readable', async () => {
    const { deps } = heliograph;
    const channel = await createTestChannel(deps);
    const { account, channelId, phoneNumber } = channel;
    const otherChannel = await createTestChannel(deps, account);
    const bothChannels = {
      accountId: account.id,
      name: 'Both',
      scopes: ['full'],
      channelIds: [channelId, otherChannel.channelId],
    };
    const sharedKey = await createChannelKey(deps.prisma, bothChannels);
    const buildHeaders = (id: string) => ({
      'x-api-key': sharedKey.key,
      'x-api-secret': sharedKey.secret,
      'x-channel-id': id,
    });
    expect((await playInbound(heliograph, channel, { from: '15005550100', text: 'Anybody there?' })).statusCode).toBe(
      200,
    );
    const automation = await createAutomation(heliograph, channel, [{ type: 'wait', seconds: 3600 }]);
    await triggerAutomation(heliograph, channel, automation, { phone: '15005550100' });
    const webhookInput = { url: 'https://example.invalid/hook', events: ['message.received'] };
    expect((await call(heliograph, channel, 'POST', '/webhooks', webhookInput)).statusCode).toBe(200);

    const deletion = await runForJson('channel', 'delete', channelId);
    expect(deletion).toMatchObject({ deleted: true, keys: 1, automations: 1, runs: 1, webhooks: 1, refusal: null });
    await expectRefused(401, channel.headers);
    await expectRefused(403, buildHeaders(channelId));
    await expectRefused(200, buildHeaders(otherChannel.channelId));
    const where = { where: { channelId } };
    expect(await deps.prisma.automationRun.findFirst(where)).toMatchObject({ status: 'failed', dueAt: null });
    expect(await deps.prisma.automation.findFirst(where)).toMatchObject({ isActive: false });
    expect(await deps.prisma.webhook.findFirst(where)).toMatchObject({ isActive: false });

    expect(await runForJson('channel', 'list', '--account', account.id)).toMatchObject([
      { id: otherChannel.channelId },
    ]);
    const [gone] = await runForJson('channel', 'list', '--account', account.id, '--deleted');
    expect(gone).toMatchObject({ id: channelId, deletedAt: expect.any(String), isActive: false });
    expect((await runCommand('contacts', 'export', '--channel', channelId)).stdout).toContain('15005550100');
    for (const args of [['set', '--on'], ['resume']]) {
      expect((await runCommand('channel', args[0] as string, channelId, ...args.slice(1))).stderr).toContain(
        'there is no channel',
      );
    }
    const owner = await createTestOperator(heliograph);
    const channelsUrl = `/accounts/${account.id}/channels`;
    expect((await owner.ask('GET', channelsUrl)).json().data).toHaveLength(1);
    expect((await owner.ask('PATCH', `${channelsUrl}/${channelId}`, { isActive: true })).statusCode).toBe(404);
    const conversations = (await owner.ask('GET', `${channelsUrl}/${channelId}/conversations`)).json().data;
    expect(JSON.stringify(conversations)).toContain('15005550100');

    const input = { accountId: account.id, kind: 'whatsapp', name: 'New', phoneNumber, carrier: 'simulator' } as const;
    const created = await createChannel(deps.prisma, { ...input, isDefault: false });
    expect(created.id).not.toBe(channelId);
    await expect(createChannel(deps.prisma, { ...input, isDefault: false })).rejects.toThrow('already');
    const send = await heliograph.app.inject({
      ...{ method: 'POST', url: '/v2/send', headers: account.headers },
      payload: { channel: 'whatsapp', from: phoneNumber, to: '15005550100', message: 'Hi' },
    });
    const sentMessage = await deps.prisma.message.findUniqueOrThrow({
      where: { id: /[0-9a-f-]{36}/.exec(send.body)?.[0] },
    });
    expect(sentMessage.channelId).toBe(created.id);
  });

  it('a deleted channel drops later SMS to its number', async () => {
    const { deps } = heliograph;
    const channel = await createTestChannel(deps, undefined, { kind: 'sms' });
    await runCommand('channel', 'delete', channel.channelId);
    const sms = { carrier: 'simulator', from: '15005550100', to: channel.phoneNumber, carrierMessageId: newId() };
    const text = { type: 'text', body: 'Hello', payload: {}, receivedAt: new Date() };
    await receiveSms(deps, [{ ...sms, ...text } as never]);
    expect(await deps.prisma.inboundMessage.count({ where: { channelId: channel.channelId } })).toBe(0);
  });

  it('a deleted channel accepts later receipts of its messages, but no new messages', async () => {
    const { deps } = heliograph;
    const channel = await createMetaChannel(heliograph, stub);
    await call(heliograph, channel, 'POST', '/contacts', { phone: '15005550100' });
    const wamid = 'wamid.late';
    const id = newId();
    const now = new Date();
    await deps.prisma.message.create({
      data: {
        ...{ id, accountId: channel.account.id, channelId: channel.channelId, createdAt: now, validUntil: now },
        ...{ priceMicros: 10_000n, surface: 'b', kind: 'whatsapp', status: 'sent', sentAt: now, priority: 2, parts: 1 },
        ...{
          carrier: 'meta',
          sender: channel.phoneNumber,
          recipient: '15005550100',
          body: 'Hi',
          carrierMessageId: wamid,
        },
      },
    });
    await deps.prisma.carrierReference.create({ data: { carrier: 'meta', carrierMessageId: wamid, messageId: id } });
    expect(await runCommand('channel', 'delete', channel.channelId)).toMatchObject({ code: 0 });
    for (const value of [buildInbound('text', { body: 'Hello?' }), { statuses: [buildStatus(wamid, 'delivered')] }]) {
      expect((await postWebhook(heliograph, stub, 'meta', buildEnvelope(value))).statusCode).toBe(200);
    }
    await waitFor('the receipt', async () => {
      const { status } = await deps.prisma.message.findUniqueOrThrow({ where: { id } });
      return status === 'delivered' && (await deps.prisma.carrierCallback.count()) === 0;
    });
    expect(await deps.prisma.inboundMessage.count({ where: { channelId: channel.channelId } })).toBe(0);
    expect(await runCommand('carrier', 'remove', 'meta')).toMatchObject({ code: 0 });
  });
});
