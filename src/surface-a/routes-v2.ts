import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { idempotencyClaim } from '../http/idempotency-key.js';
import { composeV2, type WhatsappDirectory } from '../messages/compose-v2.js';
import type { PhoneValidation } from '../messages/phone-numbers.js';
import { acceptSend, type SendAcceptor } from './accept-send.js';
import { answerV2 } from './answers.js';
import { ErrorV2 } from './errors.js';
import { errorResponses, SEND_ERRORS } from './schemas-v1.js';
import { SendV2Answer, SendV2Schema } from './schemas-v2.js';

export interface RoutesV2Options {
  acceptor: SendAcceptor;
  directory: WhatsappDirectory;
  phoneValidation: PhoneValidation;
  smsMaxChars: number;
  smsCarrierName(): string;
}

/** The operation of version 2, below `/v2`. */
export const routesV2: FastifyPluginAsyncTypebox<RoutesV2Options> = async (app, options) => {
  const { acceptor, directory, phoneValidation, smsMaxChars, smsCarrierName } = options;

  app.post(
    '/send',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'send',
        tags: ['Messages'],
        summary: 'Send an SMS or a WhatsApp message to one or many recipients',
        description:
          'Text, template, image and document messages. A template that this server knows must be APPROVED and be ' +
          'given all of its parameters; an unknown one is left to the carrier. All or nothing: one bad field refuses ' +
          'the request, and nothing is queued.',
        security: [{ bearer: [] }],
        body: SendV2Schema,
        response: { 200: SendV2Answer, ...errorResponses(ErrorV2, SEND_ERRORS) },
      },
    },
    async (request, reply) => {
      const { account } = request.credential;
      const idempotency = idempotencyClaim(request, 'POST /v2/send');
      const compose = () =>
        composeV2(request.body, {
          account,
          smsCarrier: smsCarrierName(),
          idempotency,
          phoneValidation,
          smsMaxChars,
          directory,
        });
      return answerV2(await acceptSend(acceptor, account, idempotency, reply, compose));
    },
  );
};
