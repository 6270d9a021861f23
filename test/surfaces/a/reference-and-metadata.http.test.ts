import { beforeAll, describe, expect, it } from 'vitest';
import { sweepMessages } from '../../../src/messages/stored-messages/sweep-store.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { sharedApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';
import { expectErrorV1, expectErrorV2, get, NUMBER, readAccountState, SMS, sendSms, sendV2 } from './requests.js';

const REFERENCE_AND_METADATA = { reference: 'order-4711', metadata: { customer: '42', 'purpose of it': 'Grüße ✓' } };

const REFERENCE_RULE = 'must be a string of 1 to 64 characters, without control characters';
const TOO_MANY_RULE = 'must be an object with at most 10 string values';
const OBJECT_RULE = `${TOO_MANY_RULE}, such as {"customer": "42", "purpose": "reminder"}`;
const VALUE_RULE = 'must be a string of at most 200 characters, without control characters';
const NAME_RULE = 'must have names of 1 to 40 characters, without control characters';

const heliograph = sharedApp();
let account: TestAccount;

beforeAll(async () => {
  account = await createTestAccount(heliograph.deps);
});

const countReferencedMessages = (owner: TestAccount) =>
  heliograph.deps.prisma.messageReference.findMany({ where: { accountId: owner.id }, orderBy: { messageId: 'asc' } });

describe('reference and metadata of a send', () => {
  it.each([
    ['POST /v1.0/sms/send', sendSms],
    ['POST /v2/send', sendV2],
  ] as const)('%s returns them in its response, in a repeated response and in statuses', async (_, send) => {
    const key = { 'idempotency-key': `noted ${_}` };
    const response = await send(heliograph.app, account, { ...SMS, ...REFERENCE_AND_METADATA }, key);
    expect(response.json().data).toMatchObject([REFERENCE_AND_METADATA]);
    const repeatedResponse = await send(heliograph.app, account, { ...SMS, ...REFERENCE_AND_METADATA }, key);
    expect(repeatedResponse.headers['idempotent-replayed']).toBe('true');
    expect(repeatedResponse.json()).toEqual(response.json());
    const id = response.json().data[0].message_id;
    expect((await get(heliograph.app, `/v1.0/sms/status/${id}`, account)).json()).toMatchObject(REFERENCE_AND_METADATA);
    expect((await get(heliograph.app, `/v2/messages/${id}`, account)).json().data).toMatchObject(
      REFERENCE_AND_METADATA,
    );
  });

  it('are at the top level of the v1.0 response for a single destination', async () => {
    expect((await sendSms(heliograph.app, account, { ...SMS, ...REFERENCE_AND_METADATA })).json()).toMatchObject(
      REFERENCE_AND_METADATA,
    );
  });

  it('are absent from responses if the send had none', async () => {
    for (const send of [sendSms, sendV2]) {
      const { data } = (await send(heliograph.app, account, { ...SMS, metadata: {} })).json();
      expect(Object.keys(data[0])).toEqual(['message_id', 'message_count', 'from', 'to', 'message', 'timestamp']);
      const status = (await get(heliograph.app, `/v1.0/sms/status/${data[0].message_id}`, account)).json();
      expect(Object.keys(status)).toEqual(['status', 'message_id', 'to', 'timestamp']);
    }
  });

  it('apply to each message of a large send and appear in its streamed response', async () => {
    const freshAccount = await createTestAccount(heliograph.deps);
    const to = Array.from({ length: 600 }, () => NUMBER);
    const response = (await sendV2(heliograph.app, freshAccount, { ...SMS, to, ...REFERENCE_AND_METADATA })).json();
    expect(response.data).toHaveLength(600);
    expect(response.data.at(-1)).toMatchObject(REFERENCE_AND_METADATA);
    expect(await countReferencedMessages(freshAccount)).toHaveLength(600);
  });

  it.each([
    [{ reference: '' }, 'reference', REFERENCE_RULE],
    [{ reference: 'x'.repeat(65) }, 'reference', REFERENCE_RULE],
    [{ reference: 7 }, 'reference', REFERENCE_RULE],
    [{ reference: 'a\nb' }, 'reference', REFERENCE_RULE],
    [{ metadata: [] }, 'metadata', OBJECT_RULE],
    [{ metadata: 'x' }, 'metadata', OBJECT_RULE],
    [
      { metadata: Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`n${index}`, 'x'])) },
      'metadata',
      TOO_MANY_RULE,
    ],
    [{ metadata: { a: 1 } }, 'metadata.a', VALUE_RULE],
    [{ metadata: { a: null } }, 'metadata.a', VALUE_RULE],
    [{ metadata: { a: 'x'.repeat(201) } }, 'metadata.a', VALUE_RULE],
    [{ metadata: { 'a/b': 'x\u0007' } }, 'metadata.a/b', VALUE_RULE],
    [{ metadata: { '': 'x' } }, 'metadata', `${NAME_RULE} (it has "")`],
    [{ metadata: { [`${'n'.repeat(41)}`]: 'x' } }, 'metadata', `${NAME_RULE} (it has "${'n'.repeat(32)}…")`],
    [{ metadata: { 'a\tb': 'x' } }, 'metadata', `${NAME_RULE} (it has "a\\tb")`],
  ])('invalid %j gets a 400 that names %s and its rule, and nothing is queued', async (fields, field, rule) => {
    const stateBefore = await readAccountState(heliograph, account);
    const response = await sendV2(heliograph.app, account, { ...SMS, ...fields });
    expectErrorV2(response, 400, [field]);
    expect(response.json().data.errors).toEqual([{ field, message: rule }]);
    expectErrorV1(await sendSms(heliograph.app, account, { ...SMS, ...fields }), 400, `${field} ${rule}`);
    expect(await readAccountState(heliograph, account)).toEqual(stateBefore);
  });

  it('are deleted with their message at the end of its retention', async () => {
    const freshAccount = await createTestAccount(heliograph.deps);
    const [{ message_id: id }] = (
      await sendSms(heliograph.app, freshAccount, { ...SMS, ...REFERENCE_AND_METADATA })
    ).json().data;
    await waitFor('the message to be delivered', async () => {
      const row = await heliograph.deps.prisma.message.findUnique({ where: { id } });
      return row?.status === 'delivered';
    });
    expect(await countReferencedMessages(freshAccount)).toHaveLength(1);
    const now = new Date(Date.now() + 2 * 86_400_000);
    await sweepMessages({ pool: heliograph.deps.pool, now, step: 1_000, retentionDays: 1, isStopped: () => false });
    expect(await heliograph.deps.prisma.message.count({ where: { id } })).toBe(0);
    expect(await countReferencedMessages(freshAccount)).toEqual([]);
  });
});
