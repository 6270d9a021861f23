import { Type } from '@sinclair/typebox';
import { toSid } from '../../../platform/text/sids.js';
import { type Endpoints, MessagePath, notFound, readMessageId, requestAccount } from '../endpoint.js';
import { badParameter } from '../errors.js';
import { type BothDirectionsOptions, findMessageOrInbound } from './both-directions.js';
import { SID, text } from './message-schemas.js';
import { buildAccountPath, formatRfc2822 } from './message-view.js';
import type { VerifyOptions } from './verifications.js';

export type FeedbackOptions = BothDirectionsOptions & Pick<VerifyOptions, 'verifications' | 'clock'>;

const OUTCOMES = ['confirmed', 'unconfirmed'] as const;
const FeedbackBody = Type.Object(
  { Outcome: text('`confirmed` (default) or `unconfirmed`.', 'confirmed') },
  { examples: [{ Outcome: 'confirmed' }] },
);
const EXAMPLE_DATE = 'Tue, 24 Nov 2026 08:30:00 +0000';

const FeedbackResource = Type.Object({
  account_sid: Type.String({ examples: [`AC${SID}`] }),
  message_sid: Type.String({ examples: [`SM${SID}`] }),
  outcome: Type.Unsafe<(typeof OUTCOMES)[number]>({ type: 'string', enum: [...OUTCOMES] }),
  date_created: Type.String({ description: 'RFC 2822, in UTC.', examples: [EXAMPLE_DATE] }),
  date_updated: Type.String({ description: 'RFC 2822, in UTC.', examples: [EXAMPLE_DATE] }),
  uri: Type.String({ examples: [`/2010-04-01/Accounts/AC${SID}/Messages/SM${SID}/Feedback.json`] }),
});

/**
 * For the code of a login system, feedback is the only way to learn that the code was correct
 * (https://www.twilio.com/docs/messaging/api/message-feedback-resource). Feedback on other messages is not stored.
 */
export const feedbackEndpoints: Endpoints<FeedbackOptions> = async (app, options) => {
  const schema = {
    operationId: 'twilioCreateFeedback',
    summary: "Report the outcome of a message, as Twilio's Feedback resource",
    description:
      'For a sign-in code that a login system created and checks, `confirmed` means that the code was correct: it is counted as ' +
      'approved. For other messages, nothing is stored.',
    params: MessagePath,
    body: FeedbackBody,
    response: { 201: FeedbackResource },
  };
  for (const suffix of ['.json', '']) {
    app.post<{ Params: { Sid: string }; Body: { Outcome?: string } }>(
      `/Messages/:Sid/Feedback${suffix}`,
      { config: { optionalBody: true }, schema: { ...schema, ...(suffix === '' && { hide: true }) } },
      async (request, reply) => {
        const { id: accountId } = requestAccount(request);
        const { Outcome = 'confirmed' } = request.body;
        const outcome = OUTCOMES.find((known) => known === Outcome);
        if (!outcome) throw badParameter(20422, 'Outcome', 'must be confirmed or unconfirmed');
        const id = readMessageId(request.params);
        const message = id === null ? null : await findMessageOrInbound(options, accountId, id);
        if (!message || message.received) throw notFound(request);
        if (outcome === 'confirmed') await options.verifications.confirm(accountId, message.id);
        const now = formatRfc2822(options.clock.now());
        const sid = request.params.Sid;
        reply.code(201);
        return {
          account_sid: toSid('AC', accountId),
          message_sid: sid,
          outcome,
          date_created: now,
          date_updated: now,
          uri: `${buildAccountPath(accountId)}/Messages/${sid}/Feedback.json`,
        };
      },
    );
  }
};
