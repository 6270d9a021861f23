import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import type { KeyAccount } from '../../../accounts/account-ref.js';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import { estimateSend, type Pricer } from '../../../messages/accept/estimate.js';
import { withoutDefaultLanguage } from '../../../messages/compose/default-language.js';
import type { Acceptance, SendRequest } from '../../../messages/compose/send-request.js';
import { composeV2 } from '../../../messages/compose/v2.js';
import type { SendV2Body } from '../../../messages/compose/v2-plan.js';
import { idempotencyClaim } from '../../http/idempotency-key.js';
import {
  acceptSend,
  checkSenders,
  completeSend,
  replayOrThrow,
  type SendOptions,
} from '../../resources/sends/accept-send.js';
import { answerV2 } from '../answers.js';
import { answerEstimate, EstimateAnswer } from './estimate-view.js';
import { ESTIMATE_ERRORS, errorsV2, SEND_ERRORS } from './v1-schemas.js';
import { SendV2Answer, SendV2Schema } from './v2-schemas.js';

export interface EndpointsV2Options extends SendOptions {
  acceptor: Pricer;
}

export const endpointsV2: FastifyPluginAsyncTypebox<EndpointsV2Options> = async (app, options) => {
  app.post(
    '/send',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'send',
        tags: ['Messages'],
        summary: 'Send an SMS or a WhatsApp message to one or many recipients',
        description:
          'Text, template, image and document messages. A template that this server knows must be APPROVED and get ' +
          'all of its parameters. An unknown template is refused once the templates of the channel have been synced; ' +
          'before that, the carrier decides. All or nothing: if one field is invalid, ' +
          'the request is refused and nothing is queued. An optional field that is null counts as absent.',
        security: [{ bearer: [] }],
        body: SendV2Schema,
        response: { 200: SendV2Answer, ...errorsV2(SEND_ERRORS) },
      },
    },
    async (request, reply) => {
      const { account } = request.credential;
      const idempotencyKey = idempotencyClaim(request, 'POST /v2/send', withoutDefaultLanguage(request.body));
      const accepted = await composeAndAccept(options, account, request.body, idempotencyKey, reply);
      const { from, to } = request.body;
      return answerV2(
        { reply, turns: options.turns },
        { from, ...(to !== undefined && { to: [to].flat() }) },
        accepted,
      );
    },
  );

  app.post(
    '/estimate',
    {
      schema: {
        operationId: 'estimate',
        tags: ['Messages'],
        summary: 'Estimate the price and parts of a message without sending it',
        description:
          'Extension of the contract. Accepts the body of `POST /v2/send` and applies the same rules, except those that ' +
          'depend on earlier sends: the balance, limits and holds of the spending guard, and the number of different hosts in ' +
          'callback URLs. The price does not include a fallback, which is charged when it is sent.',
        security: [{ bearer: [] }],
        body: SendV2Schema,
        response: { 200: EstimateAnswer, ...errorsV2(ESTIMATE_ERRORS) },
      },
    },
    async ({ body, credential: { account } }) => {
      const request = await compose(options, account, body, null);
      checkSenders(account, request);
      if (body.callback_url !== undefined) options.callbacks.check(body.callback_url);
      return answerEstimate(
        await estimateSend(options.acceptor, request),
        body.to === undefined ? undefined : [body.to].flat(),
      );
    },
  );
};

async function composeAndAccept(
  options: EndpointsV2Options,
  account: KeyAccount,
  body: SendV2Body,
  idempotencyKey: IdempotencyKey | null,
  reply: FastifyReply,
): Promise<Acceptance> {
  let request: SendRequest;
  try {
    const composed = await compose(options, account, body, idempotencyKey);
    request = await completeSend(composed, account, options.callbacks, body.callback_url);
  } catch (error) {
    return await replayOrThrow(options.sends, account, idempotencyKey, reply, error);
  }
  return await acceptSend(options.sends, request, reply);
}

function compose(
  { smsCarrierName, phoneValidation, smsMaxChars, clock, turns, directory }: EndpointsV2Options,
  account: KeyAccount,
  body: SendV2Body,
  idempotencyKey: IdempotencyKey | null,
): Promise<SendRequest> {
  return composeV2(body, {
    account,
    smsCarrier: smsCarrierName(),
    idempotencyKey,
    phoneValidation,
    defaultCountry: account.defaultCountry,
    smsMaxChars,
    now: clock.now(),
    turns,
    directory,
    refusesUnknownTemplates: true,
  });
}
