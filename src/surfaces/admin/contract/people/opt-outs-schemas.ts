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
  sender: Type.String({ description: 'For SMS the sender ID, for WhatsApp the number of the channel.' }),
  phone: Type.Union([Type.String({ examples: ['15005550111'] }), Type.Null()], {
    description: 'The recipient who opted out: digits with country code; null if userId is set.',
  }),
  userId: Type.Union([Type.String({ examples: ['US.13491208655302741918'] }), Type.Null()], {
    description: "WhatsApp's ID for the recipient who opted out; null if phone is set.",
  }),
  keyword: Type.Union([Type.String(), Type.Null()], {
    description: 'The keyword that the recipient sent; null if an operator entered the opt-out.',
  }),
  scope: Type.Unsafe<'all' | 'marketing'>({
    type: 'string',
    enum: ['all', 'marketing'],
    description: 'What it blocks: all messages, or only messages with the purpose `marketing`.',
  }),
  decidedAt: Timestamp,
});

export const OptOutListQuery = pageQuery({
  search: Type.Optional(Type.String({ description: 'Part of the number, or the start of a WhatsApp user ID.' })),
});

export const OptOutBody = Type.Object(
  {
    kind: Kind,
    sender: Type.String({
      maxLength: 40,
      description: 'For SMS the sender ID, for WhatsApp the number of a channel.',
      [RULE]: 'must be a text of at most 40 characters',
    }),
    phone: Type.Optional(WrittenPhone('The recipient who opts out. Required unless userId or contactId is sent.')),
    userId: Type.Optional({ ...UserId, description: "Instead of phone: WhatsApp's ID for the person." }),
    contactId: Type.Optional({ ...BodyId, description: 'Instead of phone: a contact; on WhatsApp with all its IDs.' }),
  },
  { examples: [{ kind: 'sms', sender: 'ACME', phone: '15005550111' }] },
);

export const OptOutWordData = Type.Object({
  word: Type.String({ description: 'Normalized for comparison.' }),
  meaning: Meaning,
  isOwn: Type.Boolean({
    description: 'Whether the account added the keyword. All other keywords apply to every account.',
  }),
});

export const OptOutWordBody = Type.Object(
  { word: Type.String({ minLength: 1, examples: ['basta'], [RULE]: 'must be a text' }), meaning: Meaning },
  { examples: [{ word: 'basta', meaning: 'stop' }] },
);
