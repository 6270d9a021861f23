import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { call } from '../../support/channel-calls.js';
import {
  bsuid,
  channel,
  createText,
  findOnlyContact,
  heliograph,
  listContacts,
  nextTimestamp,
  type PersonFields,
  parent,
  phone,
  post,
  receiveMessage,
  stub,
  usePeople,
} from './people.js';

usePeople();

type Id = 'phone' | 'userId' | 'parentUserId';
interface SenderFields {
  ids: readonly Id[];
  message(): object;
  contact(): object | null;
  others?: readonly object[];
  isNameless?: true;
}

const STRANGER = { profile: { name: 'Stranger' }, wa_id: '15005559999', user_id: 'US.stranger' };
const omitFields = () => ({});

const SENDERS: Record<string, SenderFields> = {
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
  'contact only': { ids: ['phone', 'userId'], message: omitFields, contact: () => ({ wa_id: phone, user_id: bsuid }) },
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

const getIdValue = (id: Id) => ({ phone, userId: bsuid, parentUserId: parent })[id];

const KNOWN_IDS: Record<string, readonly Id[]> = {
  nothing: [],
  'the number': ['phone'],
  'the user id': ['userId'],
  'all of them': ['phone', 'userId', 'parentUserId'],
};

const cases = Object.entries(KNOWN_IDS).flatMap(([knownName, knownIds]) =>
  Object.keys(SENDERS)
    // A sender who shares no ID with the known person counts as a different person.
    .filter(
      (senderName) =>
        knownIds.length === 0 || (SENDERS[senderName] as SenderFields).ids.some((id) => knownIds.includes(id)),
    )
    .map((senderName) => [knownName, senderName] as const),
);

describe.each(cases)('a person known by %s, who writes with %s', (knownName, senderName) => {
  const { ids, message, contact, others = [], isNameless = false } = SENDERS[senderName] as SenderFields;
  const knownIds = KNOWN_IDS[knownName] as readonly Id[];
  const buildValue = (node: object) => {
    const fields = contact();
    const allContacts = [...others, ...(fields ? [{ profile: { name: 'Ada', username: 'ada' }, ...fields }] : [])];
    return {
      ...(allContacts.length > 0 && { contacts: allContacts }),
      messages: [{ ...message(), id: `wamid.${newId()}`, timestamp: nextTimestamp(), ...node }],
    };
  };
  const buildStatus = () => {
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
    if (knownIds.length > 0) {
      const knownFields: PersonFields = Object.fromEntries(knownIds.map((id) => [id, getIdValue(id)]));
      await receiveMessage(knownFields, createText('before'));
    }
    const firstContactId = knownIds.length > 0 ? (await findOnlyContact()).id : null;
    await post(buildStatus());
    await post(buildValue({ type: 'system', system: { body: 'Ada changed', type: 'customer_identity_changed' } }));
    expect((await listContacts()).length).toBe(knownIds.length > 0 ? 1 : 0);

    await post(buildValue(createText('text')));
    await post(buildValue({ type: 'button', button: { payload: 'yes', text: 'Yes' } }));
    await post(
      buildValue({
        type: 'interactive',
        interactive: { type: 'button_reply', button_reply: { id: '1', title: 'One' } },
      }),
    );
    await post(buildValue(createText('STOP')));
    const storedContact = await findOnlyContact();
    if (firstContactId) expect(storedContact.id).toBe(firstContactId);
    const expected = new Set([...knownIds, ...ids]);
    for (const id of ['phone', 'userId', 'parentUserId'] as const) {
      expect([id, storedContact[id]]).toEqual([id, expected.has(id) ? getIdValue(id) : null]);
    }
    expect(storedContact.username).toBe(isNameless ? null : 'ada');
    const texts = ['text', 'Yes', 'One', 'STOP'];
    expect(storedContact.conversation?.inbound.map(({ body }) => body).sort()).toEqual(
      [...(firstContactId ? ['before'] : []), ...texts].sort(),
    );
    expect(storedContact.conversation?.unreadCount).toBe(texts.length + (firstContactId ? 1 : 0));
    const readContact = async () =>
      (await call(heliograph, channel, 'GET', `/contacts/${storedContact.id}`)).json().data;
    expect(await readContact()).toMatchObject({ optedOut: true });

    await post(buildValue(createText('START')));
    expect(await readContact()).toMatchObject({ optedOut: false });
    for (const target of [
      { contactId: storedContact.id },
      ...(storedContact.userId ? [{ userId: storedContact.userId }] : []),
    ]) {
      const response = await call(heliograph, channel, 'POST', '/messages/reply', { ...target, message: 'Hello' });
      expect(response.statusCode, response.body).toBe(200);
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
