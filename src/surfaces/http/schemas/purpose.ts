import { Type } from '@sinclair/typebox';
import { DEFAULT_PURPOSE, PURPOSES, type Purpose } from '../../../messages/compose/purpose.js';
import { RULE } from '../validation.js';

const schema = (fields: Record<string, unknown>) =>
  Type.Unsafe<Purpose>({ type: 'string', enum: [...PURPOSES], ...fields });

/** A field of requests that send a message. */
export const PURPOSE = {
  purpose: Type.Optional(
    schema({
      description:
        `Extension of the contract. What the message is for. Default: \`${DEFAULT_PURPOSE}\`, or the purpose of the template, if ` +
        'this server knows it: `marketing` for the category MARKETING, `transactional` for UTILITY and `verification` for ' +
        'AUTHENTICATION. With a template, only a stricter purpose is accepted. `verification` is reserved for sign-in codes ' +
        'and templates of the category AUTHENTICATION.',
      examples: ['marketing'],
      [RULE]: `must be ${PURPOSES.slice(1).join(' or ')}, or verification with a template of the category AUTHENTICATION`,
    }),
  ),
};

export const PurposeView = schema({ description: 'What the message is for.', examples: ['transactional'] });
