import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { call } from '../../support/channel-calls.js';
import {
  bsuid,
  channel,
  heliograph,
  listContacts,
  nextTimestamp,
  onlyContact,
  type PersonFields,
  parent,
  phone,
  post,
  receiveMessage,
  stub,
  textContent,
  usePeople,
} from './people.js';

usePeople();

type Id = 'phone' | 'userId' | 'parentUserId';
interface Shape {
  ids: readonly Id[];
  /** A null contact is omitted. */
  message(): object;
  contact(): object | null;
  others?: readonly object[];
  isNameless?: true;
}

const STRANGER = { profile: { name: 'Stranger' }, wa_id: '15005559999', user_id: 'US.stranger' };
const noFields = () => ({});

const SHAPES: Record<string, Shape> = {
  number: { ids: ['phone'], message: () => ({ from: phone }), contact: () => ({ wa_id: phone }) },
  'user id': { ids: ['userId'], message: () => ({ from_user_id: bsuid }), contact: () => ({ user_id: bsuid }) },
  'parent id': {
    ids: ['parentUserId'],
    message: () => ({ from_parent_user_id: parent }),
    contact: () => ({ parent_user_id: parent }),
  },
  'number and user id': {
    ids: ['phone', 'userId'],
    message: () => ({ from: phone, from_user_id: bsuid }),
    contact: () => ({ wa_id: phone, user_id: bsuid }),
  },
  'number and parent id': {
    ids: ['phone', 'parentUserId'],
    message: () => ({ from: phone, from_parent_user_id: parent }),
    contact: () => ({ wa_id: phone, parent_user_id: parent }),
  },
  'both ids': {
    ids: ['userId', 'parentUserId'],
    message: () => ({ from_user_id: bsuid, from_parent_user_id: parent }),
    contact: () => ({ user_id: bsuid, parent_user_id: parent }),
  },
  'number and both ids': {
    ids: ['phone', 'userId', 'parentUserId'],
    message: () => ({ from: phone, from_user_id: bsuid, from_parent_user_id: parent }),
    contact: () => ({ wa_id: phone, user_id: bsuid, parent_user_id: parent }),
  },
  'user id in `from` and `wa_id`': {
    ids: ['userId'],
    message: () => ({ from: bsuid }),
    contact: () => ({ wa_id: bsuid }),
  },
  'user id, and no contact': {
    ids: ['userId'],
    message: () => ({ from_user_id: bsuid }),
    contact: () => null,
    isNameless: true,
  },
  'contact only': { ids: ['phone', 'userId'], message: noFields, contact: () => ({ wa_id: phone, user_id: bsuid }) },
  'number in the message, user id in the contact': {
    ids: ['phone', 'userId'],
    message: () => ({ from: phone }),
    contact: () => ({ user_id: bsuid }),
  },
  'several contacts, matched by number': {
    ids: ['phone', 'userId'],
    message: () => ({ from: phone }),
    contact: () => ({ wa_id: phone, user_id: bsuid }),
    others: [STRANGER],
  },
  'several contacts, matched by user id': {
    ids: ['phone', 'userId'],
    message: () => ({ from_user_id: bsuid }),
    contact: () => ({ wa_id: phone, user_id: bsuid }),
    others: [STRANGER],
  },
  'several contacts, matched by a user id in `from` and `wa_id`': {
    ids: ['userId', 'parentUserId'],
    message: () => ({ from: bsuid }),
    contact: () => ({ wa_id: bsuid, parent_user_id: parent }),
    others: [STRANGER],
  },
  'several contacts, matched by parent id': {
    ids: ['userId', 'parentUserId'],
    message: () => ({ from_parent_user_id: parent }),
    contact: () => ({ user_id: bsuid, parent_user_id: parent }),
    others: [STRANGER],
  },
  'several contacts, none of them the sender': {
    ids: ['userId'],
    message: () => ({ from_user_id: bsuid }),
    contact: () => ({ wa_id: '15005559998', user_id: 'US.other' }),
    isNameless: true,
    others: [STRANGER],
  },
};

const idValue = (id: Id) => ({ phone, userId: bsuid, parentUserId: parent })[id];

const KNOWN_IDS: Record<string, readonly Id[]> = {
  nothing: [],
  'the number': ['phone'],
  'the user id': ['userId'],
  'all of them': ['phone', 'userId', 'parentUserId'],
};

const cases = Object.entries(KNOWN_IDS).flatMap(([knownName, before]) =>
  Object.keys(SHAPES)
    // Without a common ID, the sender counts as a different person.
    .filter((shape) => before.length === 0 || (SHAPES[shape] as Shape).ids.some((id) => before.includes(id)))
    .map((shape) => [knownName, shape] as const),
);

describe.each(cases)('a person known by %s, who writes with %s', (knownName, shapeName) => {
  const { ids, message, contact, others = [], isNameless = false } = SHAPES[shapeName] as Shape;
  const before = KNOWN_IDS[knownName] as readonly Id[];
  const value = (node: object) => {
    const fields = contact();
    const allContacts = [...others, ...(fields ? [{ profile: { name: 'Ada', username: 'ada' }, ...fields }] : [])];
    return {
      ...(allContacts.length > 0 && { contacts: allContacts }),
      messages: [{ ...message(), id: `wamid.${newId()}`, timestamp: nextTimestamp(), ...node }],
    };
  };
  const status = () => {
    const recipient = Object.entries({
      recipient_id: ids.includes('phone') && phone,
      recipient_user_id: ids.includes('userId') && bsuid,
      recipient_parent_user_id: ids.includes('parentUserId') && parent,
    }).filter(([, id]) => id);
    return {
      statuses: [
        { id: `wamid.${newId()}`, status: 'delivered', timestamp: nextTimestamp(), ...Object.fromEntries(recipient) },
      ],
    };
  };

  it('a person is one contact with one conversation across all kinds of Meta reports', async () => {
    if (before.length > 0) {
      const knownIds: PersonFields = Object.fromEntries(before.map((id) => [id, idValue(id)]));
      await receiveMessage(knownIds, textContent('before'));
    }
    const first = before.length > 0 ? (await onlyContact()).id : null;
    await post(status());
    await post(value({ type: 'system', system: { body: 'Ada changed', type: 'customer_identity_changed' } }));
    expect((await listContacts()).length).toBe(before.length > 0 ? 1 : 0);

    await post(value(textContent('text')));
    await post(value({ type: 'button', button: { payload: 'yes', text: 'Yes' } }));
    await post(
      value({ type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: '1', title: 'One' } } }),
    );
    await post(value(textContent('STOP')));
    const storedContact = await onlyContact();
    if (first) expect(storedContact.id).toBe(first);
    const expected = new Set([...before, ...ids]);
    for (const id of ['phone', 'userId', 'parentUserId'] as const) {
      expect([id, storedContact[id]]).toEqual([id, expected.has(id) ? idValue(id) : null]);
    }
    expect(storedContact.username).toBe(isNameless ? null : 'ada');
    const texts = ['text', 'Yes', 'One', 'STOP'];
    expect(storedContact.conversation?.inbound.map(({ body }) => body).sort()).toEqual(
      [...(first ? ['before'] : []), ...texts].sort(),
    );
    expect(storedContact.conversation?.unreadCount).toBe(texts.length + (first ? 1 : 0));
    const readContact = async () =>
      (await call(heliograph, channel, 'GET', `/contacts/${storedContact.id}`)).json().data;
    expect(await readContact()).toMatchObject({ optedOut: true });

    await post(value(textContent('START')));
    expect(await readContact()).toMatchObject({ optedOut: false });
    for (const target of [
      { contactId: storedContact.id },
      ...(storedContact.userId ? [{ userId: storedContact.userId }] : []),
    ]) {
      const sent = await call(heliograph, channel, 'POST', '/messages/reply', { ...target, message: 'Hello' });
      expect(sent.statusCode, sent.body).toBe(200);
      const sentBody = stub.accepted.at(-1)?.body;
      expect({ to: sentBody?.to, recipient: sentBody?.recipient }).toEqual(
        expected.has('phone')
          ? { to: `+${phone}`, recipient: undefined }
          : { to: undefined, recipient: expected.has('userId') ? bsuid : parent },
      );
    }
    expect(
      await heliograph.deps.prisma.message.count({ where: { conversationId: storedContact.conversation?.id } }),
    ).toBe(storedContact.userId ? 2 : 1);
  });
});
