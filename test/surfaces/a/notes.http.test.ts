import { beforeAll, describe, expect, it } from 'vitest';
import { sweepMessages } from '../../../src/messages/stored-messages/sweep-store.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { sharedApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';
import { expectErrorV1, expectErrorV2, get, NUMBER, SMS, sendSms, sendV2, stateOf } from './requests.js';

const NOTES = { reference: 'order-4711', metadata: { customer: '42', 'purpose of it': 'Grüße ✓' } };

const REFERENCE = 'must be a text of 1 to 64 characters, without control characters';
const TOO_MANY = 'must be an object of at most 10 texts';
const OBJECT = `${TOO_MANY}, such as {"customer": "42", "purpose": "reminder"}`;
const VALUE = 'must be a text of at most 200 characters, without control characters';
const NAME = 'must have names of 1 to 40 characters, without control characters';

const heliograph = sharedApp();
let account: TestAccount;

beforeAll(async () => {
  account = await createTestAccount(heliograph.deps);
});

const referenced = (own: TestAccount) =>
  heliograph.deps.prisma.messageReference.findMany({ where: { accountId: own.id }, orderBy: { messageId: 'asc' } });

describe('reference and metadata of a send', () => {
  it.each([
    ['POST /v1.0/sms/send', sendSms],
    ['POST /v2/send', sendV2],
  ] as const)('%s returns them in its answer, in a repeated answer and in statuses', async (_, send) => {
    const key = { 'idempotency-key': `noted ${_}` };
    const answer = await send(heliograph.app, account, { ...SMS, ...NOTES }, key);
    expect(answer.json().data).toMatchObject([NOTES]);
    const again = await send(heliograph.app, account, { ...SMS, ...NOTES }, key);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.json()).toEqual(answer.json());
    const id = answer.json().data[0].message_id;
    expect((await get(heliograph.app, `/v1.0/sms/status/${id}`, account)).json()).toMatchObject(NOTES);
    expect((await get(heliograph.app, `/v2/messages/${id}`, account)).json().data).toMatchObject(NOTES);
  });

  it('are at the top level of the v1.0 answer for a single destination', async () => {
    expect((await sendSms(heliograph.app, account, { ...SMS, ...NOTES })).json()).toMatchObject(NOTES);
  });

  it('are absent from answers if the send had none', async () => {
    for (const send of [sendSms, sendV2]) {
      const { data } = (await send(heliograph.app, account, { ...SMS, metadata: {} })).json();
      expect(Object.keys(data[0])).toEqual(['message_id', 'message_count', 'from', 'to', 'message', 'timestamp']);
      const status = (await get(heliograph.app, `/v1.0/sms/status/${data[0].message_id}`, account)).json();
      expect(Object.keys(status)).toEqual(['status', 'message_id', 'to', 'timestamp']);
    }
  });

  it('apply to each message of a large send and appear in its streamed answer', async () => {
    const own = await createTestAccount(heliograph.deps);
    const to = Array.from({ length: 600 }, () => NUMBER);
    const answer = (await sendV2(heliograph.app, own, { ...SMS, to, ...NOTES })).json();
    expect(answer.data).toHaveLength(600);
    expect(answer.data.at(-1)).toMatchObject(NOTES);
    expect(await referenced(own)).toHaveLength(600);
  });

  it.each([
    [{ reference: '' }, 'reference', REFERENCE],
    [{ reference: 'x'.repeat(65) }, 'reference', REFERENCE],
    [{ reference: 7 }, 'reference', REFERENCE],
    [{ reference: 'a\nb' }, 'reference', REFERENCE],
    [{ metadata: [] }, 'metadata', OBJECT],
    [{ metadata: 'x' }, 'metadata', OBJECT],
    [{ metadata: Object.fromEntries(Array.from({ length: 11 }, (_, no) => [`n${no}`, 'x'])) }, 'metadata', TOO_MANY],
    [{ metadata: { a: 1 } }, 'metadata.a', VALUE],
    [{ metadata: { a: null } }, 'metadata.a', VALUE],
    [{ metadata: { a: 'x'.repeat(201) } }, 'metadata.a', VALUE],
    [{ metadata: { 'a/b': 'x\u0007' } }, 'metadata.a/b', VALUE],
    [{ metadata: { '': 'x' } }, 'metadata', `${NAME} (it has "")`],
    [{ metadata: { [`${'n'.repeat(41)}`]: 'x' } }, 'metadata', `${NAME} (it has "${'n'.repeat(32)}…")`],
    [{ metadata: { 'a\tb': 'x' } }, 'metadata', `${NAME} (it has "a\\tb")`],
  ])('%j is refused with 400 on %s with its own rule, and nothing is queued', async (notes, field, rule) => {
    const before = await stateOf(heliograph, account);
    const answer = await sendV2(heliograph.app, account, { ...SMS, ...notes });
    expectErrorV2(answer, 400, [field]);
    expect(answer.json().data.errors).toEqual([{ field, message: rule }]);
    expectErrorV1(await sendSms(heliograph.app, account, { ...SMS, ...notes }), 400, `${field} ${rule}`);
    expect(await stateOf(heliograph, account)).toEqual(before);
  });

  it('are deleted with their message at the end of its retention', async () => {
    const own = await createTestAccount(heliograph.deps);
    const [{ message_id: id }] = (await sendSms(heliograph.app, own, { ...SMS, ...NOTES })).json().data;
    await waitFor('the message to be delivered', async () => {
      const row = await heliograph.deps.prisma.message.findUnique({ where: { id } });
      return row?.status === 'delivered';
    });
    expect(await referenced(own)).toHaveLength(1);
    const now = new Date(Date.now() + 2 * 86_400_000);
    await sweepMessages({ pool: heliograph.deps.pool, now, step: 1_000, retentionDays: 1, isStopped: () => false });
    expect(await heliograph.deps.prisma.message.count({ where: { id } })).toBe(0);
    expect(await referenced(own)).toEqual([]);
  });
});
