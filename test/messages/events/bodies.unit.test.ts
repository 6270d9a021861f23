import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UNSET_FIELDS } from '../../../src/features/contacts/contact-fields.js';
import type { ContactRecord } from '../../../src/features/contacts/record.js';
import { blankStatusSql, bodyOf, bodySql } from '../../../src/messages/events/bodies.js';
import { ACCOUNT_WEBHOOK_EVENTS, TEST_EVENT, WEBHOOK_EVENTS } from '../../../src/messages/events/event-types.js';
import { PROJECT_FOLDER } from '../../support/processes/server-process.js';

const DOCUMENT = readFileSync(join(PROJECT_FOLDER, 'docs/webhooks.md'), 'utf8');
const AT = new Date('2026-11-23T08:30:00.000Z');
const CONTACT: ContactRecord = {
  id: 'c',
  phone: '4917012345678',
  userId: 'DE.13491208655302741918',
  username: 'ann',
  ...UNSET_FIELDS,
  name: 'Ann',
  optedOut: false,
  createdAt: AT.toISOString(),
  updatedAt: AT.toISOString(),
};
const CHANGED = { contact: CONTACT, channelId: 'n', changed: { change: 'added_to_group', groupId: 'g' } } as const;

const INBOUND = {
  messageId: 'm',
  channel: { id: 'n', accountId: 'a', kind: 'sms', phoneNumber: '4930123456' },
  contactId: 'c',
  conversationId: 'v',
  sender: { phone: CONTACT.phone, userId: CONTACT.userId, username: CONTACT.username },
  report: {
    carrierMessageId: 'x',
    from: CONTACT.phone,
    profileName: 'not told',
    type: 'text',
    body: 'Hello',
    payload: { body: 'Hello' },
    receivedAt: AT,
  },
} as const;

const EDITED = {
  messageId: 'm',
  channel: INBOUND.channel,
  contactId: 'c',
  conversationId: 'v',
  isOwn: false,
  contact: INBOUND.sender,
  carrierMessageId: 'x',
  now: { type: 'text', text: 'Hello!', payload: { body: 'Hello!' } },
} as const;

const RUN = {
  runId: 'r',
  automationId: 'o',
  channelId: 'n',
  contactId: 'c',
  phone: CONTACT.phone,
  userId: CONTACT.userId,
  username: CONTACT.username,
  status: 'completed',
  errorMessage: null,
  startedAt: AT,
  completedAt: AT,
} as const;

const fieldsOfSql = (sql: string) => [...sql.matchAll(/'(\w+)', /g)].map(([, field = '']) => field);
const FIELDS: Record<string, string[]> = {
  'message.received': Object.keys(JSON.parse(bodyOf('message.received', INBOUND))),
  'message.edited': Object.keys(JSON.parse(bodyOf('message.edited', EDITED))),
  'message.revoked': Object.keys(JSON.parse(bodyOf('message.revoked', EDITED))),
  'message.status': fieldsOfSql(bodySql('message.status')),
  'account.balance_low': fieldsOfSql(bodySql('account.balance_low')),
  'account.sending_held': Object.keys(
    JSON.parse(
      bodyOf('account.sending_held', {
        holdId: 'h',
        accountId: 'a',
        prefix: '4477',
        reason: 'codes',
        messages: 10,
        until: new Date(0),
      }),
    ),
  ),
  'contact.updated': Object.keys(JSON.parse(bodyOf('contact.updated', CHANGED))),
  'contact.deleted': Object.keys(JSON.parse(bodyOf('contact.deleted', CHANGED))),
  'contact.merged': Object.keys(JSON.parse(bodyOf('contact.merged', { ...CHANGED, mergedContactId: 'b' }))),
  'automation.completed': Object.keys(JSON.parse(bodyOf('automation.completed', RUN))),
  [TEST_EVENT]: Object.keys(JSON.parse(bodyOf(TEST_EVENT, { webhookId: 'w', channelId: null }))),
};

describe('the bodies of events', () => {
  it('are known of every event that a webhook may ask for', () => {
    expect(Object.keys(FIELDS).sort()).toEqual(
      [...new Set([...WEBHOOK_EVENTS, ...ACCOUNT_WEBHOOK_EVENTS, TEST_EVENT])].sort(),
    );
  });

  it.each(Object.entries(FIELDS))('of %s hold what docs/webhooks.md tells', (type, fields) => {
    const start = DOCUMENT.indexOf(`\n- \`${type}\`: `);
    const paragraph = DOCUMENT.slice(start, DOCUMENT.indexOf('\n- ', start + 1)).split('\n\n')[0] ?? '';
    // The paragraphs of a deleted and a merged contact say "the same fields".
    const told = ['contact.deleted', 'contact.merged'].includes(type)
      ? fields.filter((field) => !(field in CONTACT))
      : fields;
    for (const field of told) expect(paragraph, field).toContain(`\`${field}\``);
    expect(told.length).toBeGreaterThan(0);
  });

  it('tell an inbound message without what is internal', () => {
    expect(bodyOf('message.received', INBOUND)).toBe(
      '{"messageId":"m","channel":"sms","channelId":"n","contactId":"c","conversationId":"v","from":"4917012345678",' +
        '"userId":"DE.13491208655302741918","username":"ann","to":"4930123456","type":"text","text":"Hello","payload":{"body":"Hello"},"carrierMessageId":"x"}',
    );
  });

  it('tell a run with its times as text', () => {
    expect(bodyOf('automation.completed', RUN)).toBe(
      '{"runId":"r","automationId":"o","channelId":"n","contactId":"c","phone":"4917012345678",' +
        '"userId":"DE.13491208655302741918","username":"ann","status":"completed","errorMessage":null,"startedAt":"2026-11-23T08:30:00.000Z","completedAt":"2026-11-23T08:30:00.000Z"}',
    );
  });

  it('of a status lose only fields that they have, when a person is erased', () => {
    const blanked = [...blankStatusSql('$2').matchAll(/'(\w+)', (?:NULL|\$2)|\{"(\w+)": null/g)].map(
      ([, field, other]) => field ?? other,
    );
    expect(blanked).toEqual([
      ...['to', 'errorMessage', 'reference', 'metadata', 'userId', 'username', 'carrierMessageId'],
    ]);
    for (const field of blanked) expect(FIELDS['message.status']).toContain(field);
  });
});
