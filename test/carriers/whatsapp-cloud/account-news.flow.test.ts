import { beforeEach, describe, expect, it } from 'vitest';
import { readStanding } from '../../../src/carriers/standing.js';
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

/** Of fields that concern the whole account: there is no number in them. */
async function tell(field: string, value: object, { time = T, account = stub.settings.businessAccountId } = {}) {
  const entry = [{ id: account, time, changes: [{ field, value }] }];
  const response = await postWebhook(heliograph, stub, CARRIER, { object: 'whatsapp_business_account', entry });
  expect(response.statusCode).toBe(200);
  const { prisma } = heliograph.deps;
  await waitFor('it to be worked off', async () => (await prisma.carrierCallback.count()) === 0);
}

const offer = { message_template_id: 12, message_template_name: 'offer', message_template_language: 'en_US' };
const template = () => heliograph.deps.prisma.template.findFirstOrThrow({ where: { name: 'offer' } });
const row = () => heliograph.deps.prisma.channel.findUniqueOrThrow({ where: { id: channel.channelId } });
const standing = async () => readStanding((await row()).standing);
const kept = async () =>
  (await heliograph.deps.prisma.keptReport.findMany()).map(({ kind, reason }) => `${kind} ${reason}`).sort();

describe('a template', () => {
  const status = (event: string, time?: number) =>
    tell('message_template_status_update', { event, ...offer, reason: 'NONE' }, { time });

  it.each([
    ['APPROVED', 'APPROVED'],
    ['REJECTED', 'REJECTED'],
    ['PAUSED', 'PAUSED'],
    ['DISABLED', 'DISABLED'],
    ['PENDING_DELETION', 'DISABLED'],
    ['REINSTATED', 'APPROVED'],
    ['FLAGGED', 'PENDING'],
  ])('that is %s at Meta is %s here', async (event, expected) => {
    await status(event);
    expect(await template()).toMatchObject({ status: expected });
    expect(await kept()).toEqual([]);
  });

  it('has the status that was decided last, in whatever order and however often it is told', async () => {
    await status('PAUSED', T + 60);
    await status('APPROVED', T);
    await status('PAUSED', T + 60);
    expect(await template()).toMatchObject({ status: 'PAUSED', statusAt: new Date((T + 60) * 1000) });
    await status('REINSTATED', T + 90);
    expect((await template()).status).toBe('APPROVED');
  });

  it('is not put back by what was told before a sync', async () => {
    const { prisma } = heliograph.deps;
    await prisma.template.updateMany({ data: { status: 'APPROVED' } });
    await prisma.channel.updateMany({ data: { templatesSyncedAt: new Date((T + 60) * 1000) } });
    await status('REJECTED', T);
    expect((await template()).status).toBe('APPROVED');
    await status('REJECTED', T + 61);
    expect((await template()).status).toBe('REJECTED');
    await prisma.channel.updateMany({ data: { templatesSyncedAt: null } });
  });

  it('gets quality and category, each by its own time', async () => {
    await status('APPROVED', T + 60);
    await tell('message_template_quality_update', {
      ...offer,
      previous_quality_score: 'UNKNOWN',
      new_quality_score: 'RED',
    });
    await tell('template_category_update', { ...offer, previous_category: 'UTILITY', new_category: 'MARKETING' });
    expect(await template()).toMatchObject({ status: 'APPROVED', quality: 'RED', category: 'MARKETING' });
    const shown = await heliograph.app.inject({ url: '/api/v1/templates', headers: channel.headers });
    expect(shown.json().data).toMatchObject([{ name: 'offer', quality: 'RED' }]);
    await tell(
      'template_category_update',
      { ...offer, new_category: 'MARKETING', correct_category: 'UTILITY' },
      { time: T - 1 },
    );
    await tell('template_category_update', { ...offer, correct_category: 'UTILITY' }, { time: T + 1 });
    expect(await template()).toMatchObject({ category: 'MARKETING' });
    expect(await kept()).toEqual([]);
  });

  it.each([
    ['message_template_status_update', { event: 'APPROVED' }, { status: 'APPROVED' }],
    ['message_template_quality_update', { new_quality_score: 'GREEN' }, { quality: 'GREEN' }],
    ['template_category_update', { new_category: 'MARKETING' }, { category: 'MARKETING' }],
  ])('is known by its language with a hyphen too: %s', async (field, news, expected) => {
    await tell(field, { ...offer, message_template_language: 'en-US', ...news });
    expect(await template()).toMatchObject(expected);
    expect(await kept()).toEqual([]);
  });

  it('that is not here, of an account that is not, or of which something new is told is kept', async () => {
    await tell('message_template_status_update', { ...offer, event: 'APPROVED', message_template_name: 'other' });
    await tell('message_template_status_update', { ...offer, event: 'APPROVED' }, { account: '999' });
    await tell('message_template_status_update', { ...offer, event: 'ENCHANTED' });
    expect(await kept()).toEqual([
      'field:message_template_status_update incomplete',
      'field:message_template_status_update no-channel',
      'field:message_template_status_update no-template',
    ]);
    expect((await template()).status).toBe('PENDING');
  });
});

describe('a number', () => {
  it('has its limit and quality beside it, the newest of each', async () => {
    const number = `+${channel.phoneNumber}`;
    const quality = (value: object, time: number) =>
      tell('phone_number_quality_update', { display_phone_number: number, ...value }, { time });
    await quality({ event: 'DOWNGRADE', old_limit: 'TIER_10K', current_limit: 'TIER_1K' }, T + 5);
    await quality({ event: 'UPGRADE', old_limit: 'TIER_1K', current_limit: 'TIER_10K' }, T);
    await quality({ event: 'FLAGGED', current_limit: 'TIER_1K' }, T + 9);
    expect(await standing()).toMatchObject({ messagingLimit: { value: 'TIER_1K' }, quality: { value: 'RED' } });
    await quality({ event: 'UNFLAGGED', current_limit: 'TIER_1K' }, T + 12);
    expect(await standing()).toMatchObject({ quality: { value: null } });
    expect((await standing()).notices.map(({ event }) => event)).toEqual([
      'UNFLAGGED',
      'FLAGGED',
      'DOWNGRADE',
      'UPGRADE',
    ]);
    await tell('business_capability_update', { max_daily_conversation_per_phone: 250 }, { time: T + 20 });
    expect(await standing()).toMatchObject({ messagingLimit: { value: '250' } });
    await tell('phone_number_quality_update', { display_phone_number: '+49 30 123456', event: 'FLAGGED' });
    expect(await kept()).toEqual(['field:phone_number_quality_update no-channel']);
  });

  it('shows restrictions and alerts, each once', async () => {
    const restriction = { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: T + 86_400 };
    const update = { event: 'ACCOUNT_RESTRICTION', restriction_info: [restriction] };
    await tell('account_update', update);
    await tell('account_update', update);
    const alert = {
      alert_severity: 'WARNING',
      alert_status: 'ACTIVE',
      alert_type: 'OBA_DENIED',
      alert_description: 'No.',
    };
    await tell(
      'account_alerts',
      { entity_type: 'PHONE_NUMBER', entity_id: '106540352242922', alert_info: alert },
      { time: T + 1 },
    );
    await tell('account_alerts', { entity_type: 'PHONE_NUMBER', entity_id: '1', alert_info: alert });
    const until = new Date((T + 86_400) * 1000).toISOString();
    expect(await standing()).toMatchObject({
      restrictions: { value: [{ type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', until }] },
      notices: [
        { event: 'OBA_DENIED', severity: 'WARNING', text: 'No.' },
        { event: 'ACCOUNT_RESTRICTION', severity: 'CRITICAL' },
      ],
    });
    expect((await row()).pausedAt).toBeNull();
    expect(await kept()).toEqual(['field:account_alerts no-channel']);
  });

  it('of an account that Meta disabled is paused, and free of restrictions once it is back', async () => {
    const ban = (state: string, time: number) =>
      tell('account_update', { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: state } }, { time });
    await tell('account_update', { event: 'ACCOUNT_RESTRICTION', restriction_info: [{ restriction_type: 'X' }] });
    await ban('SCHEDULE_FOR_DISABLE', T + 1);
    expect((await row()).pausedAt).toBeNull();
    await ban('DISABLE', T + 2);
    expect(await row()).toMatchObject({ healthStatus: 'account_restricted', pauseCode: 'DISABLED_UPDATE' });
    await ban('REINSTATE', T + 3);
    expect((await standing()).restrictions?.value).toEqual([]);
  });

  it('tells it on Surface B, restrictions that have ended left out', async () => {
    const asked = async () => {
      const { headers } = channel;
      return (await heliograph.app.inject({ url: '/api/v1/account', headers })).json().data.channel;
    };
    expect(await asked()).toMatchObject({ messagingLimit: null, qualityRating: null, restrictions: [] });
    const over = { restriction_type: 'OVER', expiration: 1_500_000_000 };
    await tell('account_update', { event: 'ACCOUNT_RESTRICTION', restriction_info: [over, { restriction_type: 'X' }] });
    const number = { display_phone_number: `+${channel.phoneNumber}`, current_limit: 'TIER_1K' };
    await tell('phone_number_quality_update', { ...number, event: 'FLAGGED' });
    const restrictions = [{ type: 'X', until: null }];
    expect(await asked()).toMatchObject({ messagingLimit: 'TIER_1K', qualityRating: 'RED', restrictions });
  });
});
