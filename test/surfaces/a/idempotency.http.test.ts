import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createTestAccount } from '../../support/accounts.js';
import { addTemplate } from '../../support/channel-contents.js';
import { createTestChannel } from '../../support/channels.js';
import { forSuite } from '../../support/for-suite.js';
import { waitForStatus } from '../../support/messages.js';
import { sharedApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';
import { expectErrorV1, expectErrorV2, NUMBER, readAccountState, SMS, sendSms, sendV2 } from './requests.js';

const heliograph = sharedApp();
const account = forSuite(() => createTestAccount(heliograph.deps));

const key = (value: string) => ({ 'idempotency-key': value });

describe.each([
  ['POST /v1.0/sms/send', sendSms, expectErrorV1],
  ['POST /v2/send', sendV2, expectErrorV2],
] as const)('Idempotency-Key of %s', (route, send, expectError) => {
  it('repeats the first response for the same body, and sends and charges once', async () => {
    const headers = key(`repeat ${route}`);
    const firstResponse = await send(heliograph.app, account, SMS, headers);
    expect(firstResponse.statusCode).toBe(200);
    expect(firstResponse.headers['idempotent-replayed']).toBeUndefined();
    const stateAfter = await readAccountState(heliograph, account);
    const secondResponse = await send(heliograph.app, account, SMS, headers);
    expect(secondResponse.headers['idempotent-replayed']).toBe('true');
    expect(secondResponse.json()).toEqual(firstResponse.json());
    expect(await readAccountState(heliograph, account)).toEqual(stateAfter);
  });

  it('returns every recipient in the same order', async () => {
    const numbers = ['15005550112', '15005550111', '15005550112'];
    const body = { ...SMS, to: send === sendSms ? `+${numbers.join(', +')}` : numbers };
    const firstResponse = await send(heliograph.app, account, body, key(`order ${route}`));
    const secondResponse = await send(heliograph.app, account, body, key(`order ${route}`));
    expect(secondResponse.json()).toEqual(firstResponse.json());
    expect(firstResponse.json().data).toHaveLength(3);
  });

  it.each(['one', 'all'])('returns 409 if %s of the created messages were deleted', async (deletedCount) => {
    const headers = key(`deleted ${deletedCount} ${route}`);
    const body = { ...SMS, to: send === sendSms ? '15005550113, 15005550114' : ['15005550113', '15005550114'] };
    const firstResponse = await send(heliograph.app, account, body, headers);
    const ids = (firstResponse.json().data as { message_id: string }[]).map(({ message_id }) => message_id);
    await waitForStatus(heliograph, ids, 'delivered');
    const where = { id: { in: deletedCount === 'one' ? ids.slice(1) : ids } };
    await heliograph.deps.prisma.message.deleteMany({ where });
    const stateBefore = await readAccountState(heliograph, account);
    const repeatedResponse = await send(heliograph.app, account, body, headers);
    expectError(repeatedResponse, 409);
    expect(repeatedResponse.json().message).toBe(
      'Idempotency-Key was already used, and messages that it made were deleted.',
    );
    expect(await readAccountState(heliograph, account)).toEqual(stateBefore);
  });

  it('returns 422 for another body or route, and names which one differs', async () => {
    const headers = key(`other ${route}`);
    await send(heliograph.app, account, SMS, headers);
    const stateBefore = await readAccountState(heliograph, account);
    const otherBodyResponse = await send(heliograph.app, account, { ...SMS, message: 'Other' }, headers);
    expectError(otherBodyResponse, 422);
    expect(otherBodyResponse.json().message).toBe('Idempotency-Key was already used for a request with another body.');
    const sendByOtherRoute = send === sendSms ? sendV2 : sendSms;
    const otherRouteResponse = await sendByOtherRoute(heliograph.app, account, SMS, headers);
    expect(otherRouteResponse.statusCode).toBe(422);
    expect(otherRouteResponse.json().message).toBe(`Idempotency-Key was already used for another operation, ${route}.`);
    expect(await readAccountState(heliograph, account)).toEqual(stateBefore);
  });

  it('treats an explicit default like an absent field, and another value as another body', async () => {
    const headers = key(`defaults ${route}`);
    const firstResponse = await send(heliograph.app, account, SMS, headers);
    expect(firstResponse.statusCode, firstResponse.body).toBe(200);
    const explicitDefaults = send === sendV2 ? { priority: 0, preview_url: false } : { priority: 0 };
    for (const extraFields of [explicitDefaults, { priority: 0, reference: null }]) {
      const repeatedResponse = await send(heliograph.app, account, { ...SMS, ...extraFields }, headers);
      expect([repeatedResponse.headers['idempotent-replayed'], repeatedResponse.json()]).toEqual([
        'true',
        firstResponse.json(),
      ]);
    }
    expect((await send(heliograph.app, account, { ...SMS, priority: 1 }, headers)).statusCode).toBe(422);
  });

  it('ignores the order of fields and equivalent spellings of a value', async () => {
    const headers = key(`meaning ${route}`);
    const { from, to, message } = SMS;
    const firstResponse = await send(
      heliograph.app,
      account,
      { from, to, message, z: { b: [{ d: 1, c: 2 }], a: 0 } },
      headers,
    );
    const equivalentJson = `{ "z": {"a": -0, "b": [{"c": 2.0, "d": 1e0}]}, "message": "\\u0048ello", "to": "${to}", "from": "${from}" }`;
    const secondResponse = await send(heliograph.app, account, equivalentJson, headers);
    expect(secondResponse.headers['idempotent-replayed']).toBe('true');
    expect(secondResponse.json()).toEqual(firstResponse.json());
    const otherValues = { from, to, message, z: { b: [{ d: 2, c: 1 }], a: 0 } };
    expectError(await send(heliograph.app, account, otherValues, headers), 422);
  });

  it('repeats responses stored by an earlier version, whose hash depended on the field order', async () => {
    const headers = key(`before ${route}`);
    const firstResponse = await send(heliograph.app, account, SMS, headers);
    await heliograph.deps.prisma.idempotencyKey.update({
      where: { accountId_key: { accountId: account.id, key: `before ${route}` } },
      data: {
        bodyHash: createHash('sha256')
          .update(JSON.stringify({ ...SMS }))
          .digest(),
      },
    });
    const secondResponse = await send(heliograph.app, account, SMS, headers);
    expect(secondResponse.headers['idempotent-replayed']).toBe('true');
    expect(secondResponse.json()).toEqual(firstResponse.json());
  });

  it('treats an array in another order as another body', async () => {
    const headers = key(`array ${route}`);
    await send(heliograph.app, account, { ...SMS, list: ['a', 'b'] }, headers);
    expectError(await send(heliograph.app, account, { ...SMS, list: ['b', 'a'] }, headers), 422);
  });

  it('is not used up by a refused request', async () => {
    const headers = key(`refused ${route}`);
    expectError(await send(heliograph.app, account, { ...SMS, to: '12' }, headers), 400);
    expect((await send(heliograph.app, account, SMS, headers)).statusCode).toBe(200);
  });

  it('belongs to its account', async () => {
    const otherAccount = await createTestAccount(heliograph.deps);
    const headers = key(`account ${route}`);
    const firstResponse = await send(heliograph.app, account, SMS, headers);
    const secondResponse = await send(heliograph.app, otherAccount, SMS, headers);
    expect(secondResponse.headers['idempotent-replayed']).toBeUndefined();
    expect(secondResponse.json().data[0].message_id).not.toBe(firstResponse.json().data[0].message_id);
  });

  it.each(['x', 'x'.repeat(255), '~ !"#'])('accepts %s', async (value) => {
    const caller = await createTestAccount(heliograph.deps);
    expect((await send(heliograph.app, caller, SMS, key(value))).statusCode).toBe(200);
    expect((await send(heliograph.app, caller, SMS, key(value))).headers['idempotent-replayed']).toBe('true');
  });
});

describe('a repeated request with an Idempotency-Key', () => {
  it("compares template languages, which default to en_US for a name and to the template's own for an ID", async () => {
    const owner = await createTestAccount(heliograph.deps);
    const channel = await createTestChannel(heliograph.deps, owner);
    const germanTemplateId = await addTemplate(heliograph, channel, { name: 'greeting', language: 'de' });
    await addTemplate(heliograph, channel, { name: 'greeting' });
    const englishData = { language: { code: 'en_US' } };
    const send = (idempotencyKey: string, templateFields: object) =>
      sendV2(heliograph.app, owner, { to: NUMBER, from: channel.phoneNumber, ...templateFields }, key(idempotencyKey));
    const byId = await send('by id', { template_id: germanTemplateId });
    expect(byId.statusCode, byId.body).toBe(200);
    expectErrorV2(await send('by id', { template_id: germanTemplateId, template_data: englishData }), 422);
    expectErrorV2(
      await send('by id', { template_id: 'x', template_data: { name: germanTemplateId, ...englishData } }),
      422,
    );
    const byName = await send('by name', { template_id: 'greeting' });
    const repeatedResponse = await send('by name', { template_id: 'greeting', template_data: englishData });
    expect([repeatedResponse.headers['idempotent-replayed'], repeatedResponse.json()]).toEqual(['true', byName.json()]);
    expect((await send('text', { message: 'Hello' })).statusCode).toBe(200);
    expectErrorV2(await send('text', { message: 'Hello', template_data: englishData }), 422);
  });

  it('gets the first response even if a rule would refuse the request now', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const { account: owner, phoneNumber: from } = channel;
    const id = await addTemplate(heliograph, channel, { name: 'offer', components: [{ type: 'BODY', text: 'Offer' }] });
    const body = { to: NUMBER, from, template_id: 'offer' };
    const firstResponse = await sendV2(heliograph.app, owner, body, key('paused'));
    expect(firstResponse.json().data[0].message).toBe('Offer');
    await heliograph.deps.prisma.template.update({ where: { id }, data: { status: 'PAUSED' } });
    await waitFor(
      'the template to be refused',
      async () => (await sendV2(heliograph.app, owner, body)).statusCode === 400,
    );
    const repeatedResponse = await sendV2(heliograph.app, owner, body, key('paused'));
    expect(repeatedResponse.headers['idempotent-replayed']).toBe('true');
    expect(repeatedResponse.json()).toEqual(firstResponse.json());
    expectErrorV2(await sendV2(heliograph.app, owner, body, key('never used')), 400, ['template_id']);
  });
});
