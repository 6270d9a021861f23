import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blankStatusSql, eventBodySql } from '../../../src/messages/events/bodies-sql.js';
import { EVENT_TYPES } from '../../../src/messages/events/webhook-events.js';
import { PROJECT_FOLDER } from '../../support/processes/server-process.js';
import { EVENT_SAMPLES } from '../../support/webhooks/event-samples.js';

const DOCUMENT = readFileSync(join(PROJECT_FOLDER, 'docs/reference/events.md'), 'utf8');
const PERSON = { contactId: 'c', phone: '4917012345678', userId: 'DE.13491208655302741918', word: 'ann' };
const CHANNEL = { channelId: 'n', accountId: 'a', phoneNumber: '4930123456' };

const sample = (type: keyof typeof EVENT_SAMPLES) => JSON.parse(EVENT_SAMPLES[type](PERSON, CHANNEL)) as object;
const listSqlFields = (type: Parameters<typeof eventBodySql>[0]) =>
  [...eventBodySql(type).matchAll(/'(\w+)', /g)].map(([, field = '']) => field);

describe('the bodies of events', () => {
  it.each(['message.status', 'account.balance_low'] as const)(
    'a sample of %s has the fields of its statement',
    (type) => {
      expect(Object.keys(sample(type))).toEqual(listSqlFields(type));
    },
  );

  it.each(EVENT_TYPES)('every field of %s is in docs/reference/events.md', (type) => {
    const [, section = ''] = DOCUMENT.split(`\n### ${type}\n`);
    const [paragraph = ''] = section.split('\n### ');
    const fields = Object.keys(sample(type));
    for (const field of fields) expect(paragraph, field).toContain(`| \`${field}\` |`);
    expect(fields.length).toBeGreaterThan(0);
  });

  it('message.received has no internal fields', () => {
    expect(EVENT_SAMPLES['message.received'](PERSON, CHANNEL)).toBe(
      '{"messageId":"0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55","channel":"whatsapp","channelId":"n","contactId":"c","conversationId":"v","from":"4917012345678",' +
        '"userId":"DE.13491208655302741918","username":"ann","to":"4930123456","type":"text","text":"ann","payload":{"body":"ann"},"carrierMessageId":"x"}',
    );
  });

  it('automation.completed has its times in ISO 8601', () => {
    expect(EVENT_SAMPLES['automation.completed'](PERSON, CHANNEL)).toBe(
      '{"runId":"r","automationId":"o","channelId":"n","contactId":"c","phone":"4917012345678",' +
        '"userId":"DE.13491208655302741918","username":"ann","status":"failed","errorMessage":"ann","startedAt":"2026-11-23T08:30:00.000Z","completedAt":"2026-11-23T08:30:00.000Z"}',
    );
  });

  it('erasing a person blanks fields that message.status has', () => {
    const blankedFields = [...blankStatusSql('$2').matchAll(/'(\w+)', (?:NULL|\$2)|\{"(\w+)": null/g)].map(
      ([, field, other]) => field ?? other,
    );
    expect(blankedFields).toEqual([
      ...['to', 'errorMessage', 'reference', 'metadata', 'userId', 'username', 'carrierMessageId'],
    ]);
    for (const field of blankedFields) expect(listSqlFields('message.status')).toContain(field);
  });
});
