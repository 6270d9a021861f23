import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { composeSms } from '../../../messages/compose/v1.js';
import { idempotencyClaim } from '../../http/idempotency-key.js';
import { acceptSend, composeFor, type SmsSendOptions } from '../../resources/sends/accept-send.js';
import { answerV1 } from '../answers.js';
import { errorsV1, SEND_ERRORS, SmsSendAnswer, smsSendBody } from './v1-schemas.js';

export type EndpointsV1Options = SmsSendOptions;

const SECURITY = [{ bearer: [] }];

/** The operation of version 1.0 that sends, below `/v1.0`. */
export const endpointsV1: FastifyPluginAsyncTypebox<EndpointsV1Options> = async (app, options) => {
  const { sends, clock, turns, phoneValidation, smsCarrierName, callbacks } = options;

  app.post(
    '/sms/send',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'sendSms',
        tags: ['SMS'],
        summary: 'Send an SMS to one or several numbers',
        description:
          'All or nothing: one bad number refuses the request, and nothing is queued. An optional field that is null ' +
          'counts as absent.',
        security: SECURITY,
        body: smsSendBody(options.smsMaxChars),
        response: { 200: SmsSendAnswer, ...errorsV1(SEND_ERRORS) },
      },
    },
    async (request, reply) => {
      const { account } = request.credential;
      const idempotencyKey = idempotencyClaim(request, 'POST /v1.0/sms/send');
      const carrier = smsCarrierName();
      const { defaultCountry } = account;
      const context = { account, carrier, idempotencyKey, phoneValidation, defaultCountry, now: clock.now(), turns };
      const compose = () =>
        composeFor(account, callbacks, request.body.callback_url, () => composeSms(request.body, context));
      const accepted = await acceptSend(sends, account, idempotencyKey, reply, compose);
      const { from, to } = request.body;
      return answerV1({ reply, turns }, { from, to: to.split(',').map((each) => each.trim()) }, accepted);
    },
  );
};
