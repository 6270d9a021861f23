import { describe, expect, it } from 'vitest';
import { UNSET_FIELDS } from '../../../src/features/contacts/contact-fields.js';
import { fillText } from '../../../src/features/placeholders/placeholders.js';
import { call } from '../../support/channel-calls.js';
import { createTestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

describe('the language and time zone of a contact', () => {
  const heliograph = sharedApp();

  it.each([
    [{ language: 'french' }, 'language'],
    [{ language: 'fr_' }, 'language'],
    [{ language: '!' }, 'language'],
    [{ timeZone: 'Paris' }, 'timeZone'],
    [{ timeZone: '+01:00' }, 'timeZone'],
    [{ timeZone: 'Europe/Nowhere' }, 'timeZone'],
  ])('%j are refused', async (body, field) => {
    const channel = await createTestChannel(heliograph.deps);
    const response = await call(heliograph, channel, 'POST', '/contacts', { phone: '33199000002', ...body });
    expect(response.statusCode).toBe(400);
    expect(response.json().error.details).toEqual([{ field, message: expect.stringMatching(/^must be a /) }]);
  });

  it('are stored in their canonical form', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const body = { phone: '15005550111', language: 'PT_br', timeZone: 'america/sao_paulo' };
    const { data } = (await call(heliograph, channel, 'POST', '/contacts', body)).json();
    expect(data).toMatchObject({
      language: { value: 'pt-BR', source: 'set' },
      timeZone: { value: 'America/Sao_Paulo', source: 'set' },
    });
  });

  it('are computed from the number when read, and not stored', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const { data } = (await call(heliograph, channel, 'POST', '/contacts', { phone: '33199000001' })).json();
    expect(data).toMatchObject({
      language: { value: 'fr', source: 'number' },
      timeZone: { value: 'Europe/Paris', source: 'number' },
    });
    const stored = 'SELECT language, time_zone FROM contacts WHERE id = $1';
    const { rows } = await heliograph.deps.pool.query(stored, [data.id]);
    expect(rows).toEqual([{ language: null, time_zone: null }]);
  });

  it('are null for a contact without a number', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const { data } = (
      await call(heliograph, channel, 'POST', '/contacts', { userId: 'FR.13491208655302741918' })
    ).json();
    expect(data).toMatchObject({ language: null, timeZone: null });
  });

  it('are left out of an imported row that has them in another form', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const csv = 'phone,language,time zone\n15005550111,English,Pacific\n15005550112,en-GB,Europe/London\n';
    const created = await call(heliograph, channel, 'POST', '/contacts/imports', { csv });
    expect(created.statusCode, created.body).toBe(200);
    const job = created.json().data;
    await waitFor('the import to finish', async () => {
      const { data } = (await call(heliograph, channel, 'GET', `/contacts/imports/${job.id}`)).json();
      return data.completedAt ? data : undefined;
    });
    const { data } = (await call(heliograph, channel, 'GET', '/contacts')).json();
    expect(data.contacts).toMatchObject([
      { phone: '15005550112', language: { value: 'en-GB' }, timeZone: { value: 'Europe/London', source: 'set' } },
      { phone: '15005550111', language: { value: 'en', source: 'number' }, timeZone: { source: 'number' } },
    ]);
  });

  it('fill placeholders, also if they are computed', () => {
    const contact = { ...UNSET_FIELDS, phone: '33199000001', language: 'de' };
    const text = fillText('{{contact.language}} {{contact.timeZone}}', { contact, variables: {} });
    expect(text).toBe('de Europe/Paris');
    const withoutNumber = { ...UNSET_FIELDS, phone: null };
    expect(fillText('{{contact.timeZone|UTC}}', { contact: withoutNumber, variables: {} })).toBe('UTC');
  });
});
