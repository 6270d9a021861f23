import { expect, it } from 'vitest';
import { readCallback } from '../../../src/carriers/whatsapp-cloud/callbacks/callback-body.js';
import { buildEnvelope, buildInbound } from '../../support/carriers/cloud-api/webhooks.js';

const GROUP = { group_id: 'Z3JvdXA6MQ==' };
const MOVED = { body: 'She moved', wa_id: '12195555358', type: 'user_changed_number' };
const readBody = (body: unknown) => readCallback(body, 'meta', new Date('2027-01-15T12:00:00Z'));
const [text] = buildInbound('text', { body: 'STOP' }, GROUP).messages as object[];
const echo = { ...text, to: '16505551234' };

it.each<[string, object, string]>([
  ['a text message', buildEnvelope(buildInbound('text', { body: 'STOP' }, GROUP)), 'inbound:group'],
  ['a message of an unknown type', buildEnvelope(buildInbound('gift', { amount: 7 }, GROUP)), 'inbound:group'],
  ['a revocation', buildEnvelope(buildInbound('revoke', { original_message_id: 'wamid.1' }, GROUP)), 'inbound:group'],
  ['a system message', buildEnvelope(buildInbound('system', { type: 'other' }, GROUP)), 'inbound:group'],
  ['an echo', buildEnvelope({ message_echoes: [echo] }, { field: 'smb_message_echoes' }), 'echo:group'],
  [
    'a history message',
    buildEnvelope({ history: [{ threads: [{ messages: [text] }] }] }, { field: 'history' }),
    'history:group',
  ],
  ['a history file', buildEnvelope({ messages: [echo] }, { field: 'history' }), 'history:group'],
])('in a WhatsApp group, %s is stored as unused and not as a message to the business', (_, body, kind) => {
  const { unmatched, ...used } = readBody(body);
  expect(Object.values(used).flat()).toEqual([]);
  expect(unmatched.map(({ part, reason }) => [part.kind, reason])).toEqual([[kind, 'unknown']]);
  const rereadReport = readBody(JSON.parse(JSON.stringify(unmatched[0]?.part.body())));
  expect(rereadReport.unmatched.map(({ part }) => part.kind)).toEqual([kind]);
  expect(JSON.stringify(unmatched[0]?.part.body())).toContain(GROUP.group_id);
});

it('a number change reported in a group still moves the contact', () => {
  const { people, unmatched } = readBody(buildEnvelope(buildInbound('system', MOVED, GROUP)));
  expect([people.map(({ person }) => person.phone), unmatched]).toEqual([[MOVED.wa_id], []]);
});

it.each(['', null, 7])('a message with group_id %j is not a group message', (group_id) => {
  expect(readBody(buildEnvelope(buildInbound('text', { body: 'Hi' }, { group_id }))).inbound).toHaveLength(1);
});
