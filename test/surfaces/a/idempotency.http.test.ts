import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createTestAccount } from '../../support/accounts.js';
import { addTemplate } from '../../support/channel-contents.js';
import { createTestChannel } from '../../support/channels.js';
import { forSuite } from '../../support/for-suite.js';
import { waitForStatus } from '../../support/messages.js';
import { sharedApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';
import { expectErrorV1, expectErrorV2, NUMBER, SMS, sendSms, sendV2, stateOf } from './requests.js';

const heliograph = sharedApp();
const account = forSuite(() => createTestAccount(heliograph.deps));

const key = (value: string) => ({ 'idempotency-key': value });

describe.each([
  ['POST /v1.0/sms/send', sendSms, expectErrorV1],
  ['POST /v2/send', sendV2, expectErrorV2],
] as const)('Idempotency-Key of %s', (route, send, expectError) => {
  it('repeats the first answer to the same body, and sends and charges once', async () => {
    const headers = key(`repeat ${route}`);
    const first = await send(heliograph.app, account, SMS, headers);
    expect(first.statusCode).toBe(200);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    const after = await stateOf(heliograph, account);
    const second = await send(heliograph.app, account, SMS, headers);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.json()).toEqual(first.json());
    expect(await stateOf(heliograph, account)).toEqual(after);
  });

  it('repeats every recipient in order', async () => {
    const numbers = ['15005550112', '15005550111', '15005550112'];
    const body = { ...SMS, to: send === sendSms ? `+${numbers.join(', +')}` : numbers };
    const first = await send(heliograph.app, account, body, key(`order ${route}`));
    const second = await send(heliograph.app, account, body, key(`order ${route}`));
    expect(second.json()).toEqual(first.json());
    expect(first.json().data).toHaveLength(3);
  });

  it.each(['one', 'all'])('answers 409 if %s of the created messages were deleted', async (gone) => {
    const headers = key(`deleted ${gone} ${route}`);
    const body = { ...SMS, to: send === sendSms ? '15005550113, 15005550114' : ['15005550113', '15005550114'] };
    const first = await send(heliograph.app, account, body, headers);
    const ids = (first.json().data as { message_id: string }[]).map(({ message_id }) => message_id);
    await waitForStatus(heliograph, ids, 'delivered');
    const deleted = { id: { in: gone === 'one' ? ids.slice(1) : ids } };
    await heliograph.deps.prisma.message.deleteMany({ where: deleted });
    const before = await stateOf(heliograph, account);
    const again = await send(heliograph.app, account, body, headers);
    expectError(again, 409);
    expect(again.json().message).toBe('Idempotency-Key was already used, and messages that it made were deleted.');
    expect(await stateOf(heliograph, account)).toEqual(before);
  });

  it('answers 422 to another body or route, saying which', async () => {
    const headers = key(`other ${route}`);
    await send(heliograph.app, account, SMS, headers);
    const before = await stateOf(heliograph, account);
    const otherBody = await send(heliograph.app, account, { ...SMS, message: 'Other' }, headers);
    expectError(otherBody, 422);
    expect(otherBody.json().message).toBe('Idempotency-Key was already used for a request with another body.');
    const elsewhere = send === sendSms ? sendV2 : sendSms;
    const otherRoute = await elsewhere(heliograph.app, account, SMS, headers);
    expect(otherRoute.statusCode).toBe(422);
    expect(otherRoute.json().message).toBe(`Idempotency-Key was already used for another operation, ${route}.`);
    expect(await stateOf(heliograph, account)).toEqual(before);
  });

  it('treats an explicit default like an absent field, and another value as another body', async () => {
    const headers = key(`defaults ${route}`);
    const first = await send(heliograph.app, account, SMS, headers);
    expect(first.statusCode, first.body).toBe(200);
    const explicit = send === sendV2 ? { priority: 0, preview_url: false } : { priority: 0 };
    for (const more of [explicit, { priority: 0, reference: null }]) {
      const again = await send(heliograph.app, account, { ...SMS, ...more }, headers);
      expect([again.headers['idempotent-replayed'], again.json()]).toEqual(['true', first.json()]);
    }
    expect((await send(heliograph.app, account, { ...SMS, priority: 1 }, headers)).statusCode).toBe(422);
  });

  it('ignores the order of fields and equivalent spellings of a value', async () => {
    const headers = key(`meaning ${route}`);
    const { from, to, message } = SMS;
    const first = await send(heliograph.app, account, { from, to, message, z: { b: [{ d: 1, c: 2 }], a: 0 } }, headers);
    const written = `{ "z": {"a": -0, "b": [{"c": 2.0, "d": 1e0}]}, "message": "\\u0048ello", "to": "${to}", "from": "${from}" }`;
    const second = await send(heliograph.app, account, written, headers);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.json()).toEqual(first.json());
    const reversed = { from, to, message, z: { b: [{ d: 2, c: 1 }], a: 0 } };
    expectError(await send(heliograph.app, account, reversed, headers), 422);
  });

  it('repeats answers stored by an earlier version, which depended on the order of fields', async () => {
    const headers = key(`before ${route}`);
    const first = await send(heliograph.app, account, SMS, headers);
    await heliograph.deps.prisma.idempotencyKey.update({
      where: { accountId_key: { accountId: account.id, key: `before ${route}` } },
      data: {
        bodyHash: createHash('sha256')
          .update(JSON.stringify({ ...SMS }))
          .digest(),
      },
    });
    const second = await send(heliograph.app, account, SMS, headers);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.json()).toEqual(first.json());
  });

  it('respects the order of an array', async () => {
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
    const other = await createTestAccount(heliograph.deps);
    const headers = key(`account ${route}`);
    const first = await send(heliograph.app, account, SMS, headers);
    const second = await send(heliograph.app, other, SMS, headers);
    expect(second.headers['idempotent-replayed']).toBeUndefined();
    expect(second.json().data[0].message_id).not.toBe(first.json().data[0].message_id);
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
    const german = await addTemplate(heliograph, channel, { name: 'greeting', language: 'de' });
    await addTemplate(heliograph, channel, { name: 'greeting' });
    const english = { language: { code: 'en_US' } };
    const send = (used: string, more: object) =>
      sendV2(heliograph.app, owner, { to: NUMBER, from: channel.phoneNumber, ...more }, key(used));
    const byId = await send('by id', { template_id: german });
    expect(byId.statusCode, byId.body).toBe(200);
    expectErrorV2(await send('by id', { template_id: german, template_data: english }), 422);
    expectErrorV2(await send('by id', { template_id: 'x', template_data: { name: german, ...english } }), 422);
    const byName = await send('by name', { template_id: 'greeting' });
    const again = await send('by name', { template_id: 'greeting', template_data: english });
    expect([again.headers['idempotent-replayed'], again.json()]).toEqual(['true', byName.json()]);
    expect((await send('text', { message: 'Hello' })).statusCode).toBe(200);
    expectErrorV2(await send('text', { message: 'Hello', template_data: english }), 422);
  });

  it('gets the first answer even if a rule would refuse the request by now', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const { account: owner, phoneNumber: from } = channel;
    const id = await addTemplate(heliograph, channel, { name: 'offer', components: [{ type: 'BODY', text: 'Offer' }] });
    const body = { to: NUMBER, from, template_id: 'offer' };
    const first = await sendV2(heliograph.app, owner, body, key('paused'));
    expect(first.json().data[0].message).toBe('Offer');
    await heliograph.deps.prisma.template.update({ where: { id }, data: { status: 'PAUSED' } });
    await waitFor(
      'the template to be refused',
      async () => (await sendV2(heliograph.app, owner, body)).statusCode === 400,
    );
    const again = await sendV2(heliograph.app, owner, body, key('paused'));
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.json()).toEqual(first.json());
    expectErrorV2(await sendV2(heliograph.app, owner, body, key('never used')), 400, ['template_id']);
  });
});
