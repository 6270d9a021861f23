import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Static } from '@sinclair/typebox';
import { explainPhoneRule } from '../../../../carriers/numbers/phone-numbers.js';
import { buildCodeRequest } from '../../../../features/verifications/code-request.js';
import { DEFAULT_DIGITS } from '../../../../features/verifications/limits.js';
import type { CodeText } from '../../../../features/verifications/texts.js';
import type { Verifications } from '../../../../features/verifications/verifications.js';
import { readRecipient, type SendV2Body } from '../../../../messages/compose/v2-plan.js';
import { maskDigits } from '../../../../messages/sign-in-codes/code-seal.js';
import { invalidField } from '../../../../platform/errors/app-error.js';
import { idempotencyClaim, markReplayed } from '../../../http/idempotency-key.js';
import { type ComposeCodeOptions, composeCode } from '../../../resources/sends/compose-code.js';
import { errorsV2, SEND_ERRORS } from '../v1-schemas.js';
import { CheckAnswer, CheckSchema, VerificationAnswer, VerificationSchema } from './verification-schemas.js';

export interface VerificationOptions extends ComposeCodeOptions {
  verifications: Verifications;
}

const CHECK_ERRORS = [400, 401, 403, 404, 409, 413, 415, 429, 500, 503] as const;

export const endpointsVerifications: FastifyPluginAsyncTypebox<VerificationOptions> = async (app, options) => {
  const { verifications, phoneValidation } = options;

  app.post(
    '',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'sendVerification',
        tags: ['Messages'],
        summary: 'Send a sign-in code by SMS or WhatsApp',
        description:
          'Extension of the contract. A code is valid for ten minutes; a repeated request in that time sends the same code. Each ' +
          'recipient gets at most five messages in ten minutes. The code never appears in a response, list, webhook or log: asterisks ' +
          'replace it wherever the text is shown.',
        security: [{ bearer: [] }],
        body: VerificationSchema,
        response: { 200: VerificationAnswer, ...errorsV2(SEND_ERRORS) },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const { account } = request.credential;
      const { channel = 'sms', digits = DEFAULT_DIGITS } = body;
      const claim = idempotencyClaim(request, 'POST /v2/verifications');
      const send = await composeCode(
        { ...options, defaultCountry: account.defaultCountry },
        request,
        account,
        buildSend(body, digits),
        claim,
      );
      const verification = await verifications.send(send, digits);
      if (verification.replayed) markReplayed(reply);
      return {
        status: 'success' as const,
        message: 'The code is on its way',
        code: 200,
        data: {
          id: verification.id,
          status: 'pending' as const,
          to: body.to,
          channel,
          expires_at: verification.expiresAt.toISOString(),
          sends: verification.sends,
          message_id: verification.messageId,
        },
      };
    },
  );

  app.post(
    '/check',
    {
      schema: {
        operationId: 'checkVerification',
        tags: ['Messages'],
        summary: 'Check a sign-in code',
        description:
          'Extension of the contract. The correct code is accepted once. Each recipient gets five checks in ten minutes. If there is no ' +
          'valid code for the recipient, the response is 404.',
        security: [{ bearer: [] }],
        body: CheckSchema,
        response: { 200: CheckAnswer, ...errorsV2(CHECK_ERRORS) },
      },
    },
    async ({ body: { to, code }, credential: { account } }) => {
      const recipient = readRecipient(to, {
        // The number is read by WhatsApp's more lenient rules, because the code may have been sent by WhatsApp or SMS.
        kind: 'whatsapp',
        phoneValidation,
        defaultCountry: account.defaultCountry,
      });
      if (!recipient) throw invalidField('to', explainPhoneRule(to));
      const { id, isCorrect, checksLeft } = await verifications.check(account, recipient.digits, code);
      return {
        status: 'success' as const,
        message: isCorrect ? 'The code is right' : 'The code is wrong',
        code: 200,
        data: {
          id,
          status: isCorrect ? ('approved' as const) : ('pending' as const),
          valid: isCorrect,
          to,
          checks_left: checksLeft,
        },
      };
    },
  );
};

/** Composes the message with asterisks in place of the code. */
function buildSend(body: Static<typeof VerificationSchema>, digits: number): SendV2Body {
  const { to, from, channel = 'sms', template_id, template_language, fallback, app_name } = body;
  if (body.android_hash !== undefined && body.domain !== undefined) {
    throw invalidField('android_hash', 'must not be sent together with domain');
  }
  const text: CodeText = {
    appName: app_name,
    ...(body.locale !== undefined && { locale: body.locale }),
    ...(body.android_hash !== undefined && { androidHash: body.android_hash }),
    ...(body.domain !== undefined && { domain: body.domain }),
  };
  const notes = {
    ...(body.reference !== undefined && { reference: body.reference }),
    ...(body.metadata && { metadata: body.metadata }),
    ...(body.callback_url !== undefined && { callback_url: body.callback_url }),
  };
  const mask = maskDigits(digits);
  if (channel === 'sms') {
    for (const field of ['template_id', 'template_language', 'fallback'] as const) {
      if (body[field] !== undefined) throw invalidField(field, 'must not be sent with the channel sms');
    }
    return { ...buildCodeRequest({ to, sender: from, text, whatsapp: null }, mask), ...notes };
  }
  if (template_id === undefined) throw invalidField('template_id', 'is required with the channel whatsapp');
  const whatsapp = { from, id: template_id, language: template_language };
  return { ...buildCodeRequest({ to, sender: fallback?.from ?? null, text, whatsapp }, mask), ...notes };
}
