import { describe, expect, it } from 'vitest';
import {
  CONTACT_FIELD_NAMES,
  CONTACT_FIELDS,
  type ContactFieldName,
  UNSET_FIELDS,
} from '../../../src/features/contacts/contact-fields.js';
import { exportContacts } from '../../../src/features/contacts/export.js';
import { completeContact, lockForMerge } from '../../../src/features/contacts/identity/merge-store.js';
import { inTransaction } from '../../../src/platform/store/connections/pool.js';
import { call } from '../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { buildExportedCsv } from '../../support/exported-contacts.js';
import { sharedApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const PHONE = '15005550111';
/** Values that are computed from the number of every contact in this file. */
const COMPUTED = {
  language: { value: 'en', source: 'number' },
  timeZone: { value: 'America/New_York', source: 'number' },
} as const;
const UNSET = { ...UNSET_FIELDS, ...COMPUTED };
const OTHER_EXAMPLES: Partial<Record<ContactFieldName, string>> = {
  language: 'pt-BR',
  timeZone: 'America/Sao_Paulo',
};
const USER_ID = 'US.13491208655302741918';

describe.each(CONTACT_FIELD_NAMES)('the contact field %s', (field) => {
  const heliograph = sharedApp();
  const { example } = CONTACT_FIELDS[field];
  const secondExample = OTHER_EXAMPLES[field] ?? example.toUpperCase();
  const toShown = (value: string) => (field in COMPUTED ? { value, source: 'set' } : value);

  const ask = async (channel: TestChannel, method: 'GET' | 'POST' | 'PUT', path: string, body?: object) => {
    const response = await call(heliograph, channel, method, `/contacts${path}`, body);
    expect(response.statusCode, response.body).toBe(200);
    return response.json().data;
  };
  const importAll = async (channel: TestChannel, body: object) => {
    const { id } = await ask(channel, 'POST', '/imports', body);
    return waitFor('the import to finish', async () => {
      const job = await ask(channel, 'GET', `/imports/${id}`);
      return job.completedAt ? job : undefined;
    });
  };

  it('a contact field is set, changed and unset by requests', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const contact = await ask(channel, 'POST', '', { phone: PHONE, [field]: example });
    expect(contact).toMatchObject({ ...UNSET, [field]: toShown(example) });
    expect(await ask(channel, 'PUT', `/${contact.id}`, { [field]: secondExample })).toMatchObject({
      [field]: toShown(secondExample),
    });
    expect(await ask(channel, 'PUT', `/${contact.id}`, { [field]: '' })).toMatchObject(UNSET);
    expect(await ask(channel, 'GET', `/${contact.id}`)).toMatchObject(UNSET);
  });

  it('a contact field that is too long is refused', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const text = 'x'.repeat(CONTACT_FIELDS[field].maxLength + 1);
    const response = await call(heliograph, channel, 'POST', '/contacts', { phone: PHONE, [field]: text });
    expect(response.json().error).toMatchObject({ details: [{ field }] });
  });

  it.each([
    ['a number', { phone: PHONE }],
    ['a user ID', { userId: USER_ID }],
  ])('a contact field is imported for %s, kept by an empty cell, and exported', async (_, id) => {
    const channel = await createTestChannel(heliograph.deps);
    expect(await importAll(channel, { contacts: [{ ...id, [field]: example }] })).toMatchObject({ created: 1 });
    expect(await importAll(channel, { contacts: [{ ...id, [field]: '' }], update: true })).toMatchObject({
      unchanged: 1,
    });
    const csv = `${Object.keys(id)[0]},${field}\n${Object.values(id)[0]},${secondExample}\n`;
    expect(await importAll(channel, { csv, update: true })).toMatchObject({ updated: 1, ignoredColumns: [] });
    let exported = '';
    const scope = { channelId: channel.channelId, groupId: null };
    for await (const part of exportContacts(heliograph.deps.reads, scope)) exported += part;
    // A file with first names but without names fills the name too.
    const name = field === 'firstName' || field === 'lastName' ? { name: secondExample } : {};
    const row = { ...name, [field]: secondExample, ...('phone' in id ? { phone: `+${PHONE}` } : id) };
    expect(exported).toBe(buildExportedCsv([row], { withIds: 'userId' in id }));
  });

  it('a contact field is taken over from a merged contact only while it is unset', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const source = await ask(channel, 'POST', '', { phone: '15005550112', [field]: example });
    const withoutField = await ask(channel, 'POST', '', { phone: '15005550113' });
    const withField = await ask(channel, 'POST', '', { phone: '15005550114', [field]: secondExample });
    await inTransaction(heliograph.deps.pool, async (client) => {
      const [row] = await lockForMerge(client, channel.channelId, [source.id]);
      for (const { id } of [withoutField, withField]) if (row) await completeContact(client, id, row);
    });
    expect(await ask(channel, 'GET', `/${withoutField.id}`)).toMatchObject({ [field]: toShown(example) });
    expect(await ask(channel, 'GET', `/${withField.id}`)).toMatchObject({ [field]: toShown(secondExample) });
  });
});
