import { beforeAll, expect, it } from 'vitest';
import { call, playInbound } from '../../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../../support/channels.js';
import { createTestOperator } from '../../../support/operators.js';
import { suiteApp } from '../../../support/suite.js';

const ADA = '447700900123';
const heliograph = suiteApp();
let channel: TestChannel;
let path: string;

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
  const contact = await call(heliograph, channel, 'POST', '/contacts', { phone: ADA, name: 'Ada' });
  path = `/accounts/${channel.account.id}/channels/${channel.channelId}/contacts/${contact.json().data.id}/export`;
  await playInbound(heliograph, channel, { from: ADA, text: 'What do you know about me?' });
});

it('a contact page downloads everything about the person as a file', async () => {
  const { ask } = await createTestOperator(heliograph, { accountId: channel.account.id, role: 'developer' });
  const response = await ask('GET', path);
  expect(response.statusCode, response.body).toBe(200);
  expect(response.headers['content-disposition']).toMatch(/^attachment; filename="person-[0-9a-f-]{36}\.json"$/);
  expect(response.headers['cache-control']).toBe('no-store');
  const { addresses, tables } = response.json();
  expect(addresses).toContain(ADA);
  expect(tables.contacts).toMatchObject([{ phone: ADA, name: 'Ada' }]);
  expect(tables.receivedMessages).toMatchObject([{ text: 'What do you know about me?' }]);
});

it('each download is in the audit log', async () => {
  const { ask } = await createTestOperator(heliograph, { accountId: channel.account.id, role: 'developer' });
  const where = { action: 'person.export' };
  const countBefore = await heliograph.deps.prisma.auditLine.count({ where });
  expect((await ask('GET', path)).statusCode).toBe(200);
  const entries = await heliograph.deps.prisma.auditLine.findMany({ where, orderBy: { id: 'asc' } });
  expect(entries).toHaveLength(countBefore + 1);
  expect(entries.at(-1)).toMatchObject({ accountId: channel.account.id, after: { rows: { contacts: 1 } } });
});

it('viewers cannot download it', async () => {
  const { ask } = await createTestOperator(heliograph, { accountId: channel.account.id, role: 'viewer' });
  expect((await ask('GET', path)).statusCode).toBe(403);
});
