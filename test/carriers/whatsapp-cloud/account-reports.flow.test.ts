import { beforeEach, describe, expect, it } from 'vitest';
import { parseChannelStatus } from '../../../src/carriers/channel-status.js';
import { newId } from '../../../src/platform/ids.js';
import { postWebhook } from '../../support/carriers/cloud-api/webhooks.js';
import { waitFor } from '../../support/wait-for.js';
import { CARRIER, suiteMeta } from './meta-channel.js';

const { stub, heliograph, channel } = suiteMeta();

beforeEach(async () => {
  const { prisma } = heliograph.deps;
  await prisma.keptReport.deleteMany();
  await prisma.template.deleteMany();
  await prisma.$executeRaw`UPDATE channels SET standing = NULL, paused_at = NULL, health_status = 'healthy', resumed_at = NULL`;
  const template = { accountId: channel.account.id, channelId: channel.channelId, language: 'en_US', components: [] };
  await prisma.template.create({
    data: { id: newId(), ...template, name: 'offer', category: 'UTILITY', status: 'PENDING' },
  });
});

const T = 1_900_000_000;

async function postAccountWebhook(
  field: string,
  value: object,
  { time = T, account = stub.settings.businessAccountId } = {},
) {
  const entry = [{ id: account, time, changes: [{ field, value }] }];
  const response = await postWebhook(heliograph, stub, CARRIER, { object: 'whatsapp_business_account', entry });
  expect(response.statusCode).toBe(200);
  const { prisma } = heliograph.deps;
  await waitFor('the webhook to be processed', async () => (await prisma.carrierCallback.count()) === 0);
}

const offer = { message_template_id: 12, message_template_name: 'offer', message_template_language: 'en_US' };
const findTemplate = () => heliograph.deps.prisma.template.findFirstOrThrow({ where: { name: 'offer' } });
const findChannel = () => heliograph.deps.prisma.channel.findUniqueOrThrow({ where: { id: channel.channelId } });
const readChannelHealth = async () => parseChannelStatus((await findChannel()).standing);
const listUnusedReports = async () =>
  (await heliograph.deps.prisma.keptReport.findMany()).map(({ kind, reason }) => `${kind} ${reason}`).sort();

describe('template reports', () => {
  const buildStatus = (event: string, time?: number) =>
    postAccountWebhook('message_template_status_update', { event, ...offer, reason: 'NONE' }, { time });

  it.each([
    ['APPROVED', 'APPROVED'],
    ['REJECTED', 'REJECTED'],
    ['PAUSED', 'PAUSED'],
    ['DISABLED', 'DISABLED'],
    ['PENDING_DELETION', 'DISABLED'],
    ['REINSTATED', 'APPROVED'],
    ['FLAGGED', 'PENDING'],
  ])('a template with the event %s gets the status %s', async (event, expected) => {
    await buildStatus(event);
    expect(await findTemplate()).toMatchObject({ status: expected });
    expect(await listUnusedReports()).toEqual([]);
  });

  it('a template keeps the latest status, even if webhooks are repeated or out of order', async () => {
    await buildStatus('PAUSED', T + 60);
    await buildStatus('APPROVED', T);
    await buildStatus('PAUSED', T + 60);
    expect(await findTemplate()).toMatchObject({ status: 'PAUSED', statusAt: new Date((T + 60) * 1000) });
    await buildStatus('REINSTATED', T + 90);
    expect((await findTemplate()).status).toBe('APPROVED');
  });

  it('a template is not changed by a webhook older than the last sync', async () => {
    const { prisma } = heliograph.deps;
    await prisma.template.updateMany({ data: { status: 'APPROVED' } });
    await prisma.channel.updateMany({ data: { templatesSyncedAt: new Date((T + 60) * 1000) } });
    await buildStatus('REJECTED', T);
    expect((await findTemplate()).status).toBe('APPROVED');
    await buildStatus('REJECTED', T + 61);
    expect((await findTemplate()).status).toBe('REJECTED');
    await prisma.channel.updateMany({ data: { templatesSyncedAt: null } });
  });

  it('a template gets quality and category, each with its own timestamp', async () => {
    await buildStatus('APPROVED', T + 60);
    await postAccountWebhook('message_template_quality_update', {
      ...offer,
      previous_quality_score: 'UNKNOWN',
      new_quality_score: 'RED',
    });
    await postAccountWebhook('template_category_update', {
      ...offer,
      previous_category: 'UTILITY',
      new_category: 'MARKETING',
    });
    expect(await findTemplate()).toMatchObject({ status: 'APPROVED', quality: 'RED', category: 'MARKETING' });
    const response = await heliograph.app.inject({ url: '/api/v1/templates', headers: channel.headers });
    expect(response.json().data).toMatchObject([{ name: 'offer', quality: 'RED' }]);
    await postAccountWebhook(
      'template_category_update',
      { ...offer, new_category: 'MARKETING', correct_category: 'UTILITY' },
      { time: T - 1 },
    );
    await postAccountWebhook('template_category_update', { ...offer, correct_category: 'UTILITY' }, { time: T + 1 });
    expect(await findTemplate()).toMatchObject({ category: 'MARKETING' });
    expect(await listUnusedReports()).toEqual([]);
  });

  it.each([
    ['message_template_status_update', { event: 'APPROVED' }, { status: 'APPROVED' }],
    ['message_template_quality_update', { new_quality_score: 'GREEN' }, { quality: 'GREEN' }],
    ['template_category_update', { new_category: 'MARKETING' }, { category: 'MARKETING' }],
  ])('a template is matched even if its language has a hyphen: %s', async (field, update, expected) => {
    await postAccountWebhook(field, { ...offer, message_template_language: 'en-US', ...update });
    expect(await findTemplate()).toMatchObject(expected);
    expect(await listUnusedReports()).toEqual([]);
  });

  it('a template report is stored as unused if the template, account or event is unknown', async () => {
    await postAccountWebhook('message_template_status_update', {
      ...offer,
      event: 'APPROVED',
      message_template_name: 'other',
    });
    await postAccountWebhook('message_template_status_update', { ...offer, event: 'APPROVED' }, { account: '999' });
    await postAccountWebhook('message_template_status_update', { ...offer, event: 'ENCHANTED' });
    expect(await listUnusedReports()).toEqual([
      'field:message_template_status_update incomplete',
      'field:message_template_status_update no-channel',
      'field:message_template_status_update no-template',
    ]);
    expect((await findTemplate()).status).toBe('PENDING');
  });
});

describe('number reports', () => {
  it('a WhatsApp number shows the latest messaging limit and quality', async () => {
    const number = `+${channel.phoneNumber}`;
    const buildQuality = (value: object, time: number) =>
      postAccountWebhook('phone_number_quality_update', { display_phone_number: number, ...value }, { time });
    await buildQuality({ event: 'DOWNGRADE', old_limit: 'TIER_10K', current_limit: 'TIER_1K' }, T + 5);
    await buildQuality({ event: 'UPGRADE', old_limit: 'TIER_1K', current_limit: 'TIER_10K' }, T);
    await buildQuality({ event: 'FLAGGED', current_limit: 'TIER_1K' }, T + 9);
    expect(await readChannelHealth()).toMatchObject({
      messagingLimit: { value: 'TIER_1K' },
      quality: { value: 'RED' },
    });
    await buildQuality({ event: 'UNFLAGGED', current_limit: 'TIER_1K' }, T + 12);
    expect(await readChannelHealth()).toMatchObject({ quality: { value: null } });
    expect((await readChannelHealth()).notices.map(({ event }) => event)).toEqual([
      'UNFLAGGED',
      'FLAGGED',
      'DOWNGRADE',
      'UPGRADE',
    ]);
    await postAccountWebhook('business_capability_update', { max_daily_conversation_per_phone: 250 }, { time: T + 20 });
    expect(await readChannelHealth()).toMatchObject({ messagingLimit: { value: '250' } });
    await postAccountWebhook('phone_number_quality_update', {
      display_phone_number: '+49 30 123456',
      event: 'FLAGGED',
    });
    expect(await listUnusedReports()).toEqual(['field:phone_number_quality_update no-channel']);
  });

  it('a WhatsApp number shows restrictions and alerts once each', async () => {
    const restriction = { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: T + 86_400 };
    const update = { event: 'ACCOUNT_RESTRICTION', restriction_info: [restriction] };
    await postAccountWebhook('account_update', update);
    await postAccountWebhook('account_update', update);
    const alert = {
      alert_severity: 'WARNING',
      alert_status: 'ACTIVE',
      alert_type: 'OBA_DENIED',
      alert_description: 'No.',
    };
    await postAccountWebhook(
      'account_alerts',
      { entity_type: 'PHONE_NUMBER', entity_id: '106540352242922', alert_info: alert },
      { time: T + 1 },
    );
    await postAccountWebhook('account_alerts', { entity_type: 'PHONE_NUMBER', entity_id: '1', alert_info: alert });
    const until = new Date((T + 86_400) * 1000).toISOString();
    expect(await readChannelHealth()).toMatchObject({
      restrictions: { value: [{ type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', until }] },
      notices: [
        { event: 'OBA_DENIED', severity: 'WARNING', text: 'No.' },
        { event: 'ACCOUNT_RESTRICTION', severity: 'CRITICAL' },
      ],
    });
    expect((await findChannel()).pausedAt).toBeNull();
    expect(await listUnusedReports()).toEqual(['field:account_alerts no-channel']);
  });

  it('a WhatsApp number is paused while Meta disables its account, and free of restrictions after reinstatement', async () => {
    const buildBan = (state: string, time: number) =>
      postAccountWebhook('account_update', { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: state } }, { time });
    await postAccountWebhook('account_update', {
      event: 'ACCOUNT_RESTRICTION',
      restriction_info: [{ restriction_type: 'X' }],
    });
    await buildBan('SCHEDULE_FOR_DISABLE', T + 1);
    expect((await findChannel()).pausedAt).toBeNull();
    await buildBan('DISABLE', T + 2);
    expect(await findChannel()).toMatchObject({ healthStatus: 'account_restricted', pauseCode: 'DISABLED_UPDATE' });
    await buildBan('REINSTATE', T + 3);
    expect((await readChannelHealth()).restrictions?.value).toEqual([]);
  });

  it('a WhatsApp number shows limit, quality and current restrictions on Surface B', async () => {
    const fetchChannel = async () => {
      const { headers } = channel;
      return (await heliograph.app.inject({ url: '/api/v1/account', headers })).json().data.channel;
    };
    expect(await fetchChannel()).toMatchObject({ messagingLimit: null, qualityRating: null, restrictions: [] });
    const expiredRestriction = { restriction_type: 'OVER', expiration: 1_500_000_000 };
    await postAccountWebhook('account_update', {
      event: 'ACCOUNT_RESTRICTION',
      restriction_info: [expiredRestriction, { restriction_type: 'X' }],
    });
    const number = { display_phone_number: `+${channel.phoneNumber}`, current_limit: 'TIER_1K' };
    await postAccountWebhook('phone_number_quality_update', { ...number, event: 'FLAGGED' });
    const restrictions = [{ type: 'X', until: null }];
    expect(await fetchChannel()).toMatchObject({ messagingLimit: 'TIER_1K', qualityRating: 'RED', restrictions });
  });
});
