import { Type } from '@sinclair/typebox';
import { MAX_URL_LENGTH } from '../../../features/webhooks/url.js';
import {
  MAX_METADATA_NAME_LENGTH,
  MAX_METADATA_PAIRS,
  MAX_METADATA_VALUE_LENGTH,
  MAX_REFERENCE_LENGTH,
} from '../../../messages/compose/notes.js';
import { RULE } from '../../http/validation.js';

/** Whoever prints a note in a line of a log must not get another line, or a command of the terminal. */
const NO_CONTROLS = '^\\P{Cc}*$';
const WITHOUT_CONTROLS = 'without control characters';

const REFERENCE_RULE = `must be a text of 1 to ${MAX_REFERENCE_LENGTH} characters, ${WITHOUT_CONTROLS}`;

/** What a sender may note on a send, in a request. */
export const NOTES = {
  reference: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_REFERENCE_LENGTH,
      description:
        'Extension of the contract. What you call this send: answers, statuses and webhooks tell it again, and ' +
        '`GET /v2/messages` finds it. It need not be unique.',
      examples: ['order-4711'],
      pattern: NO_CONTROLS,
      [RULE]: REFERENCE_RULE,
    }),
  ),
  metadata: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      maxProperties: MAX_METADATA_PAIRS,
      propertyNames: {
        type: 'string',
        minLength: 1,
        maxLength: MAX_METADATA_NAME_LENGTH,
        pattern: NO_CONTROLS,
        [RULE]: `must have names of 1 to ${MAX_METADATA_NAME_LENGTH} characters, ${WITHOUT_CONTROLS}`,
      },
      additionalProperties: {
        type: 'string',
        maxLength: MAX_METADATA_VALUE_LENGTH,
        pattern: NO_CONTROLS,
        [RULE]: `must be a text of at most ${MAX_METADATA_VALUE_LENGTH} characters, ${WITHOUT_CONTROLS}`,
      },
      description:
        'Extension of the contract. Pairs of texts that answers, statuses and webhooks tell again: at most ' +
        `${MAX_METADATA_PAIRS}, with names of up to ${MAX_METADATA_NAME_LENGTH} characters and values of up to ` +
        `${MAX_METADATA_VALUE_LENGTH}.`,
      examples: [{ customer: '42', purpose: 'reminder' }],
      [RULE]: `must be an object of at most ${MAX_METADATA_PAIRS} texts`,
    }),
  ),
};

/** Where the statuses of a send are told. */
export const CALLBACK = {
  callback_url: Type.Optional(
    Type.String({
      maxLength: MAX_URL_LENGTH,
      description:
        'Extension of the contract. A URL that is told of every status of these messages, as a webhook for ' +
        '`message.status` is; the secret of `POST /v2/callback-secret` signs it. A private address is refused.',
      examples: ['https://example.com/hooks/heliograph?order=4711'],
      [RULE]: `must be an http or https URL of at most ${MAX_URL_LENGTH} characters, without user name and password`,
    }),
  ),
};

/** The same in an answer. */
const NOTED = {
  reference: Type.String({ description: 'As the send said it.', examples: ['order-4711'] }),
  metadata: Type.Record(Type.String(), Type.String(), { description: 'As the send said it.' }),
};

/** In an answer that has them only where the send had. */
export const OPTIONAL_NOTED = { reference: Type.Optional(NOTED.reference), metadata: Type.Optional(NOTED.metadata) };

/** In an answer that has them always: null where the send had none. */
export const NULLABLE_NOTED = {
  reference: Type.Union([NOTED.reference, Type.Null()]),
  metadata: Type.Union([NOTED.metadata, Type.Null()]),
};

/** Notes as a send or the row of its message has them. */
interface KeptNotes {
  reference: string | null;
  metadata: unknown;
}

/** What an answer tells of notes, in the shape of NULLABLE_NOTED. */
export function notedOrNull({ reference, metadata }: KeptNotes) {
  return { reference, metadata: metadata as Record<string, string> | null };
}

/** What an answer tells of notes, in the shape of OPTIONAL_NOTED. */
export function noted(notes: KeptNotes | undefined) {
  const { reference = null, metadata = null } = notes ?? {};
  return {
    ...(reference !== null && { reference }),
    ...(metadata !== null && { metadata: metadata as Record<string, string> }),
  };
}
