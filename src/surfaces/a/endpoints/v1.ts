import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import type { KeyAccount } from '../../../accounts/account-ref.js';
import type { Acceptance, SendRequest } from '../../../messages/compose/send-request.js';
import { composeSms, type SmsBody, type SmsContext } from '../../../messages/compose/v1.js';
import { idempotencyClaim } from '../../http/idempotency-key.js';
import { acceptSend, completeSend, replayOrThrow, type SmsSendOptions } from '../../resources/sends/accept-send.js';
import { answerV1 } from '../answers.js';
import { errorsV1, SEND_ERRORS, SmsSendAnswer, smsSendBody } from './v1-schemas.js';

export type EndpointsV1Options = SmsSendOptions;

const SECURITY = [{ bearer: [] }];

export const endpointsV1: FastifyPluginAsyncTypebox<EndpointsV1Options> = async (app, options) => {
  const { clock, turns, phoneValidation, smsCarrierName } = options;

  app.post(
    '/sms/send',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'sendSms',
        tags: ['SMS'],
        summary: 'Send an SMS to one or several numbers',
        description:
          'All or nothing: if one number is invalid, the request is refused and nothing is queued. An optional field that is null ' +
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
      const accepted = await composeAndAccept(options, request.body, context, reply);
      const { from, to } = request.body;
      return answerV1({ reply, turns }, { from, to: to.split(',').map((number) => number.trim()) }, accepted);
    },
  );
};

async function composeAndAccept(
  { sends, callbacks }: EndpointsV1Options,
  body: SmsBody,
  context: SmsContext & { account: KeyAccount },
  reply: FastifyReply,
): Promise<Acceptance> {
  const { account, idempotencyKey } = context;
  let request: SendRequest;
  try {
    request = await completeSend(await composeSms(body, context), account, callbacks, body.callback_url);
  } catch (error) {
    return await replayOrThrow(sends, account, idempotencyKey, reply, error);
  }
  return await acceptSend(sends, request, reply);
}
