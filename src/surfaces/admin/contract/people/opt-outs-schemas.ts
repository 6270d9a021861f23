import { Type } from '@sinclair/typebox';
import { BodyId } from '../../../http/ids.js';
import { WrittenPhone } from '../../../http/schemas/phones.js';
import { Timestamp } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';
import { UserId } from '../../../resources/people/people.js';
import { pageQuery } from '../../answers.js';

const Kind = Type.Unsafe<'sms' | 'whatsapp'>({
  type: 'string',
  enum: ['sms', 'whatsapp'],
  [RULE]: 'must be sms or whatsapp',
});
const Meaning = Type.Unsafe<'stop' | 'start'>({
  type: 'string',
  enum: ['stop', 'start'],
  [RULE]: 'must be stop or start',
});

export const OptOutData = Type.Object({
  kind: Kind,
  sender: Type.String({ description: 'SMS: the sender ID; WhatsApp: the number of the channel.' }),
  phone: Type.Union([Type.String({ examples: ['15005550111'] }), Type.Null()], {
    description: 'Who wants no messages: digits with country code; null where userId says it.',
  }),
  userId: Type.Union([Type.String({ examples: ['US.13491208655302741918'] }), Type.Null()], {
    description: "WhatsApp's id of who wants no messages; null where phone says it.",
  }),
  keyword: Type.Union([Type.String(), Type.Null()], {
    description: 'The word that it wrote; null where somebody entered it.',
  }),
  decidedAt: Timestamp,
});

export const OptOutListQuery = pageQuery({
  search: Type.Optional(
    Type.String({ description: 'A part of the number, or the beginning of a user id of WhatsApp.' }),
  ),
});

export const OptOutBody = Type.Object(
  {
    kind: Kind,
    sender: Type.String({
      maxLength: 40,
      description: 'SMS: the sender ID; WhatsApp: the number of a channel.',
      [RULE]: 'must be a text of at most 40 characters',
    }),
    phone: Type.Optional(WrittenPhone('Who wants no messages. Required unless userId or contactId is sent.')),
    userId: Type.Optional({ ...UserId, description: "Instead of phone: WhatsApp's id of the person." }),
    contactId: Type.Optional({ ...BodyId, description: 'Instead of phone: a contact, of WhatsApp by all its ids.' }),
  },
  { examples: [{ kind: 'sms', sender: 'ACME', phone: '15005550111' }] },
);

export const OptOutWordData = Type.Object({
  word: Type.String({ description: 'As texts are compared with it.' }),
  meaning: Meaning,
  isOwn: Type.Boolean({ description: 'It is a word of this account; the others are those of every account.' }),
});

export const OptOutWordBody = Type.Object(
  { word: Type.String({ minLength: 1, examples: ['basta'], [RULE]: 'must be a text' }), meaning: Meaning },
  { examples: [{ word: 'basta', meaning: 'stop' }] },
);
