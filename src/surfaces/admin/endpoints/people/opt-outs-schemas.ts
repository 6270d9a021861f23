import { Type } from '@sinclair/typebox';
import { WrittenPhone } from '../../../http/schemas/phones.js';
import { Timestamp } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';
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
  phone: Type.String({ description: 'Who wants no messages; digits with country code.', examples: ['15005550111'] }),
  keyword: Type.Union([Type.String(), Type.Null()], {
    description: 'The word that it wrote; null where somebody entered it.',
  }),
  decidedAt: Timestamp,
});

export const OptOutListQuery = pageQuery({
  search: Type.Optional(Type.String({ description: 'A part of the number.' })),
});

export const OptOutBody = Type.Object(
  {
    kind: Kind,
    sender: Type.String({
      maxLength: 40,
      description: 'SMS: the sender ID; WhatsApp: the number of a channel.',
      [RULE]: 'must be a text of at most 40 characters',
    }),
    phone: WrittenPhone('Who wants no messages.'),
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
