import type { Logger } from 'pino';
import { AppError } from '../../../platform/errors/app-error.js';
import type { CallbackEndpoint } from '../../callbacks/endpoint.js';
import type { WhatsappCloud } from '../whatsapp-cloud.js';
import { isSignatureHeader } from './signature.js';

/** Meta's webhooks can have up to 3 MB (Meta, "Webhooks: payloads"). */
const BODY_LIMIT = 4 * 1024 * 1024;

/** Meta, "Webhooks: validating payloads". */
const SIGNATURE_HEADER = 'x-hub-signature-256';

/** Handles the request that Meta sends when the webhook is configured (Meta, "Webhooks: verification requests"). */
const verification: CallbackEndpoint = {
  method: 'GET',
  handle(carrier: WhatsappCloud, { query }, log) {
    const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = query;
    if (mode !== 'subscribe' || typeof token !== 'string' || typeof challenge !== 'string') {
      throw new AppError(
        'INVALID_REQUEST',
        'Meta posts webhooks to this URL. A GET request must be a verification request with hub.mode=subscribe.',
      );
    }
    if (!carrier.isVerifyToken(token)) throw createRefusal(carrier, 'has a different verify token', log);
    return { answer: challenge };
  },
};

/**
 * Meta repeats a webhook for days unless the response is 200, so every webhook with a valid signature is stored and
 * parsed later.
 */
const webhook: CallbackEndpoint = {
  method: 'POST',
  bodyLimit: BODY_LIMIT,
  admit(carrier, { headers }, log) {
    if (!isSignatureHeader(headers[SIGNATURE_HEADER])) throw createRefusal(carrier, 'is not signed', log);
  },
  handle(carrier: WhatsappCloud, { headers, body }, log) {
    if (!carrier.hasValidSignature(body, headers[SIGNATURE_HEADER] as string)) {
      throw createRefusal(carrier, 'is not signed with the app secret', log);
    }
    return { store: body, answer: { stored: true } };
  },
};

/** Mounted at `/callbacks/whatsapp-cloud/{carrier name}`. */
export const whatsappCloudEndpoints: readonly CallbackEndpoint[] = [verification, webhook];

function createRefusal({ name }: { name: string }, reason: string, log: Logger): AppError {
  log.warn({ carrier: name, reason }, 'a webhook was refused');
  return new AppError('FORBIDDEN', `The webhook ${reason}.`);
}
