import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { call } from '../../support/channel-calls.js';
import {
  bsuid,
  channel,
  contacts,
  heliograph,
  meetPeople,
  only,
  parent,
  phone,
  post,
  said,
  stub,
  tick,
  type Who,
  write,
} from './people.js';

meetPeople();

type Id = 'phone' | 'userId' | 'parentUserId';
interface Shape {
  /** The ids that it tells. */
  ids: readonly Id[];
  /** Fields of the message, and of the contact beside it; null: there is none. */
  message(): object;
  contact(): object | null;
  /** Another contact stands before it. */
  others?: readonly object[];
  /** The contact beside the message is somebody else, or there is none. */
  isNameless?: true;
}

const STRANGER = { profile: { name: 'Stranger' }, wa_id: '15005559999', user_id: 'US.stranger' };
const none = () => ({});

/** Each way in which Meta may name the person who writes. */
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
  'contact alone': { ids: ['phone', 'userId'], message: none, contact: () => ({ wa_id: phone, user_id: bsuid }) },
  'number in the message, user id in the contact': {
    ids: ['phone', 'userId'],
    message: () => ({ from: phone }),
    contact: () => ({ user_id: bsuid }),
  },
  'several contacts, found by the number': {
    ids: ['phone', 'userId'],
    message: () => ({ from: phone }),
    contact: () => ({ wa_id: phone, user_id: bsuid }),
    others: [STRANGER],
  },
  'several contacts, found by the user id': {
    ids: ['phone', 'userId'],
    message: () => ({ from_user_id: bsuid }),
    contact: () => ({ wa_id: phone, user_id: bsuid }),
    others: [STRANGER],
  },
  'several contacts, found by a user id in `from` and `wa_id`': {
    ids: ['userId', 'parentUserId'],
    message: () => ({ from: bsuid }),
    contact: () => ({ wa_id: bsuid, parent_user_id: parent }),
    others: [STRANGER],
  },
  'several contacts, found by the parent id': {
    ids: ['userId', 'parentUserId'],
    message: () => ({ from_parent_user_id: parent }),
    contact: () => ({ user_id: bsuid, parent_user_id: parent }),
    others: [STRANGER],
  },
  'several contacts, none of which is the sender': {
    ids: ['userId'],
    message: () => ({ from_user_id: bsuid }),
    contact: () => ({ wa_id: '15005559998', user_id: 'US.other' }),
    isNameless: true,
    others: [STRANGER],
  },
};

const idOf = (id: Id) => ({ phone, userId: bsuid, parentUserId: parent })[id];

/** What is known of the person before. */
const KNOWN: Record<string, readonly Id[]> = {
  nothing: [],
  'the number': ['phone'],
  'the user id': ['userId'],
  'all of them': ['phone', 'userId', 'parentUserId'],
};

const cases = Object.entries(KNOWN).flatMap(([known, before]) =>
  Object.keys(SHAPES)
    // What has nothing in common with what is known is of somebody else, as far as anybody can tell.
    .filter((shape) => before.length === 0 || (SHAPES[shape] as Shape).ids.some((id) => before.includes(id)))
    .map((shape) => [known, shape] as const),
);

describe.each(cases)('a person of whom is known: %s, who comes with: %s', (known, shapeName) => {
  const { ids, message, contact, others = [], isNameless = false } = SHAPES[shapeName] as Shape;
  const before = KNOWN[known] as readonly Id[];
  const value = (node: object) => {
    const own = contact();
    const listed = [...others, ...(own ? [{ profile: { name: 'Ada', username: 'ada' }, ...own }] : [])];
    return {
      ...(listed.length > 0 && { contacts: listed }),
      messages: [{ ...message(), id: `wamid.${newId()}`, timestamp: tick(), ...node }],
    };
  };
  const status = () => {
    const told = Object.entries({
      recipient_id: ids.includes('phone') && phone,
      recipient_user_id: ids.includes('userId') && bsuid,
      recipient_parent_user_id: ids.includes('parentUserId') && parent,
    }).filter(([, id]) => id);
    return {
      statuses: [{ id: `wamid.${newId()}`, status: 'delivered', timestamp: tick(), ...Object.fromEntries(told) }],
    };
  };

  it('has one contact and one conversation, whatever kind of report it is, and is answered there', async () => {
    if (before.length > 0) {
      const who: Who = Object.fromEntries(before.map((id) => [id, idOf(id)]));
      await write(who, said('before'));
    }
    const first = before.length > 0 ? (await only()).id : null;
    // Neither a status nor what the system says makes anybody a contact.
    await post(status());
    await post(value({ type: 'system', system: { body: 'Ada changed', type: 'customer_identity_changed' } }));
    expect((await contacts()).length).toBe(before.length > 0 ? 1 : 0);

    await post(value(said('text')));
    await post(value({ type: 'button', button: { payload: 'yes', text: 'Yes' } }));
    await post(
      value({ type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: '1', title: 'One' } } }),
    );
    await post(value(said('STOP')));
    const one = await only();
    if (first) expect(one.id).toBe(first);
    const expected = new Set([...before, ...ids]);
    for (const id of ['phone', 'userId', 'parentUserId'] as const) {
      expect([id, one[id]]).toEqual([id, expected.has(id) ? idOf(id) : null]);
    }
    expect(one.username).toBe(isNameless ? null : 'ada');
    const texts = ['text', 'Yes', 'One', 'STOP'];
    expect(one.conversation?.inbound.map(({ body }) => body).sort()).toEqual(
      [...(first ? ['before'] : []), ...texts].sort(),
    );
    expect(one.conversation?.unreadCount).toBe(texts.length + (first ? 1 : 0));
    const shown = async () => (await call(heliograph, channel, 'GET', `/contacts/${one.id}`)).json().data;
    expect(await shown()).toMatchObject({ optedOut: true });

    await post(value(said('START')));
    expect(await shown()).toMatchObject({ optedOut: false });
    for (const target of [{ contactId: one.id }, ...(one.userId ? [{ userId: one.userId }] : [])]) {
      const sent = await call(heliograph, channel, 'POST', '/messages/reply', { ...target, message: 'Hello' });
      expect(sent.statusCode, sent.body).toBe(200);
      const taken = stub.taken.at(-1)?.body;
      expect({ to: taken?.to, recipient: taken?.recipient }).toEqual(
        expected.has('phone')
          ? { to: `+${phone}`, recipient: undefined }
          : { to: undefined, recipient: expected.has('userId') ? bsuid : parent },
      );
    }
    expect(await heliograph.deps.prisma.message.count({ where: { conversationId: one.conversation?.id } })).toBe(
      one.userId ? 2 : 1,
    );
  });
});
