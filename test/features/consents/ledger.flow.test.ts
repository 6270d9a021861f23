import { beforeEach, describe, expect, it } from 'vitest';
import { setStopScope } from '../../../src/accounts/account-settings.js';
import { recordPreference } from '../../../src/features/contacts/identity/record-preference.js';
import { setOptOutByOperator } from '../../../src/features/opt-outs/by-operator.js';
import { readCurrentConsents } from '../../../src/features/opt-outs/ledger/ledger-store.js';
import { joinOptOuts } from '../../../src/features/opt-outs/opt-out-store.js';
import { inSharedTransaction } from '../../../src/platform/store/transaction.js';
import { call, playInbound } from '../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';

const PHONE = '15005550111';
const OTHER_PHONE = '15005550113';

describe('the consent ledger', () => {
  const heliograph = sharedApp({ role: 'api' });
  let sms: TestChannel;
  let whatsapp: TestChannel;

  beforeEach(async () => {
    sms = await createTestChannel(heliograph.deps, undefined, { kind: 'sms' });
    whatsapp = await createTestChannel(heliograph.deps, sms.account);
  });

  async function listEntries() {
    const rows = await heliograph.deps.prisma.consent.findMany({
      where: { accountId: sms.account.id },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }, { phone: 'asc' }],
    });
    return rows.map(({ kind, phone, purpose, isGranted, source, wording }) =>
      [kind, phone, purpose, isGranted ? 'granted' : 'withdrawn', source, wording].join(' '),
    );
  }
  const receive = (text: string) => playInbound(heliograph, sms, { from: PHONE, text });
  const record = async (body: object, channel = whatsapp) => {
    const response = await call(heliograph, channel, 'POST', '/consents', body);
    expect(response.statusCode, response.body).toBe(200);
    return response.json().data;
  };

  it('STOP withdraws and START grants consent, with the keyword as the wording', async () => {
    await receive('Unsubscribe');
    await receive('START');
    expect(await listEntries()).toEqual([
      `sms ${PHONE} marketing withdrawn keyword unsubscribe`,
      `sms ${PHONE} transactional withdrawn keyword unsubscribe`,
      `sms ${PHONE} marketing granted keyword start`,
      `sms ${PHONE} transactional granted keyword start`,
    ]);
  });

  it('a STOP that blocks marketing only withdraws consent to marketing only', async () => {
    await setStopScope(heliograph.deps.prisma, sms.account.id, 'marketing');
    await receive('STOP');
    expect(await listEntries()).toEqual([`sms ${PHONE} marketing withdrawn keyword stop`]);
  });

  it('opt-outs by the API, by an operator and in WhatsApp write entries, unless nothing changes', async () => {
    const created = await call(heliograph, sms, 'POST', '/contacts', { phone: PHONE, optedOut: true });
    await call(heliograph, sms, 'PUT', `/contacts/${created.json().data.id}`, { optedOut: true });
    const ref = {
      accountId: sms.account.id,
      kind: 'sms',
      sender: sms.phoneNumber,
      phone: PHONE,
      at: new Date(),
    } as const;
    await inSharedTransaction(heliograph.deps.prisma, (transaction) => setOptOutByOperator(transaction, false, ref));
    const channel = { ...whatsapp, id: whatsapp.channelId, accountId: sms.account.id, kind: 'whatsapp' } as never;
    const person = { phone: PHONE, userId: null, parentUserId: null };
    const report = { channel, ...person, wantsNone: true, category: 'marketing_messages', at: new Date() };
    for (let repetition = 0; repetition < 2; repetition++) await recordPreference(heliograph.deps, report as never);
    expect(await listEntries()).toEqual([
      `sms ${PHONE} marketing withdrawn api `,
      `sms ${PHONE} transactional withdrawn api `,
      `sms ${PHONE} marketing granted operator `,
      `sms ${PHONE} transactional granted operator `,
      `whatsapp ${PHONE} marketing withdrawn whatsapp `,
    ]);
  });

  it('no statement can change an entry, except to remove its evidence', async () => {
    const { id } = await record({
      phone: PHONE,
      purpose: 'marketing',
      decision: 'granted',
      wording: 'Yes',
      ip: '203.0.113.7',
    });
    const { pool } = heliograph.deps;
    const { rows } = await pool.query<{ name: string }>(
      "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'consents' AND table_schema = current_schema()",
    );
    const evidence = ['name', 'wording', 'wording_version', 'ip', 'url'];
    for (const { name } of rows) {
      const values: Record<string, string> = {
        purpose: "'transactional'",
        source: "'keyword'",
        kind: "'sms'",
        is_granted: 'false',
        is_main: 'false',
      };
      const changed = name.endsWith('_at')
        ? `now() + interval '1 day'`
        : name.endsWith('id')
          ? 'gen_random_uuid()'
          : `'changed'`;
      const change = pool.query(`UPDATE consents SET ${name} = ${values[name] ?? changed} WHERE id = $1`, [id]);
      await expect(change, name).rejects.toThrow('an entry of the consent ledger cannot be changed');
    }
    const removal = evidence.map((name) => `${name} = NULL`).join(', ');
    await pool.query(`UPDATE consents SET ${removal} WHERE id = $1`, [id]);
    expect(await heliograph.deps.prisma.consent.findFirstOrThrow({ where: { id } })).toMatchObject({
      ...{ wording: null, ip: null, purpose: 'marketing', isGranted: true },
    });
  });

  it('when addresses turn out to belong to one person, the stricter decision counts, even if it is older', async () => {
    await record({ phone: PHONE, purpose: 'marketing', decision: 'withdrawn', decidedAt: '2026-01-01T00:00:00.000Z' });
    await record({ phone: OTHER_PHONE, purpose: 'marketing', decision: 'granted' });
    await record({ phone: OTHER_PHONE, purpose: 'transactional', decision: 'granted' });
    const addresses = [PHONE, OTHER_PHONE];
    const scope = { accountId: sms.account.id, kind: 'whatsapp', sender: whatsapp.channelId } as const;
    await inSharedTransaction(heliograph.deps.prisma, ({ client }) =>
      joinOptOuts(client, whatsapp.channelId, addresses),
    );
    for (const address of addresses) {
      expect(await readCurrentConsents(heliograph.deps.pool, scope, [address])).toMatchObject([
        { purpose: 'transactional', isGranted: true },
        { purpose: 'marketing', isGranted: false },
      ]);
    }
    const before = await listEntries();
    await inSharedTransaction(heliograph.deps.prisma, ({ client }) =>
      joinOptOuts(client, whatsapp.channelId, addresses),
    );
    expect(await listEntries()).toEqual(before);
  });
});
