import { Type } from '@sinclair/typebox';
import { PHONE_RULE } from '../../../carriers/numbers/phone-numbers.js';
import { USER_ID_LIMIT, USER_ID_RULE } from '../../../carriers/numbers/user-ids.js';
import { PLAYED_TYPES } from '../../../features/inbound/play.js';
import { WHATSAPP_TEXT_LIMIT } from '../../../messages/compose/v2-plan.js';
import { RULE } from '../../http/validation.js';

export const PlayedInbound = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        description: 'The sender: a phone number with country code, digits only. Required unless userId is sent.',
        examples: ['15005550111'],
        [RULE]: PHONE_RULE,
      }),
    ),
    userId: Type.Optional(
      Type.String({
        description:
          "WhatsApp's ID for the sender. Meta sends it together with `from`, or alone if the person shows no number.",
        maxLength: USER_ID_LIMIT,
        examples: ['US.13491208655302741918'],
        [RULE]: USER_ID_RULE,
      }),
    ),
    parentUserId: Type.Optional(
      Type.String({
        description: "The sender's ID across linked business portfolios.",
        maxLength: USER_ID_LIMIT,
        examples: ['US.ENT.506847293015824'],
        [RULE]: USER_ID_RULE,
      }),
    ),
    username: Type.Optional(
      Type.String({
        description: 'WhatsApp username of the sender, with or without `@`.',
        minLength: 1,
        maxLength: 100,
        examples: ['ada.lovelace'],
        [RULE]: 'must be a string of 1 to 100 characters',
      }),
    ),
    text: Type.Optional(
      Type.String({
        description: 'Text, caption or button text. Required for the type `text`.',
        maxLength: WHATSAPP_TEXT_LIMIT,
        examples: ['Hello'],
        [RULE]: `must be a text of at most ${WHATSAPP_TEXT_LIMIT} characters`,
      }),
    ),
    id: Type.Optional(
      Type.String({
        description: "The carrier's message ID. A repeated ID has no effect. Generated if absent.",
        minLength: 1,
        maxLength: 255,
        examples: ['wamid.inbound-1'],
        [RULE]: 'must be a string of 1 to 255 characters',
      }),
    ),
    type: Type.Optional(
      Type.Unsafe<(typeof PLAYED_TYPES)[number]>({
        type: 'string',
        enum: [...PLAYED_TYPES],
        default: 'text',
        [RULE]: `must be ${PLAYED_TYPES.slice(0, -1).join(', ')} or ${PLAYED_TYPES.at(-1)}`,
      }),
    ),
    payload: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: "The carrier's object for this type, for example `image`; stored unchanged.",
          [RULE]: 'must be an object',
        },
      ),
    ),
  },
  {
    examples: [
      { from: '15005550111', text: 'Hello' },
      { userId: 'US.13491208655302741918', username: 'ada.lovelace', text: 'Hello' },
      {
        from: '15005550111',
        type: 'location',
        payload: { latitude: 52.52, longitude: 13.405, name: 'Berlin' },
        id: 'wamid.inbound-2',
      },
    ],
  },
);
