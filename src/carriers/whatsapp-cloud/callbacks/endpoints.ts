import type { Logger } from 'pino';
import { AppError } from '../../../platform/errors/app-error.js';
import type { CallbackEndpoint } from '../../callbacks/endpoint.js';
import type { WhatsappCloud } from '../whatsapp-cloud.js';
import { isSignature } from './signature.js';

/** Meta's webhooks have up to 3 MB ("Webhooks: payloads"). */
const BODY_LIMIT = 4 * 1024 * 1024;

/** In which Meta signs the bytes of a webhook ("Webhooks: validating payloads"). */
const SIGNATURE = 'x-hub-signature-256';

/** Meta asks once whether the one who set up the webhook is the one who answers ("Webhooks: verification requests"). */
const handshake: CallbackEndpoint = {
  method: 'GET',
  take(carrier: WhatsappCloud, { query }, log) {
    const { 'hub.mode': mode, 'hub.verify_token': token, 'hub.challenge': challenge } = query;
    if (mode !== 'subscribe' || typeof token !== 'string' || typeof challenge !== 'string') {
      throw new AppError('INVALID_REQUEST', 'This is where Meta posts webhooks; a handshake has hub.mode=subscribe.');
    }
    if (!carrier.isVerifiedBy(token)) throw refused(carrier, 'has another verify token', log);
    return { answer: challenge };
  },
};

/**
 * What Meta reports. It repeats what is not answered with 200, for days, and in the end calls no more: so whatever is signed is
 * taken, and read when it is worked off. What cannot be read then is kept.
 */
const webhook: CallbackEndpoint = {
  method: 'POST',
  bodyLimit: BODY_LIMIT,
  admit(carrier, { headers }, log) {
    if (!isSignature(headers[SIGNATURE])) throw refused(carrier, 'is not signed', log);
  },
  take(carrier: WhatsappCloud, { headers, body }, log) {
    if (!carrier.isSigned(body, headers[SIGNATURE] as string)) {
      throw refused(carrier, 'is not signed with the app secret', log);
    }
    return { store: body, answer: { stored: true } };
  },
};

/** `/callbacks/whatsapp-cloud/{name of the carrier}`. */
export const whatsappCloudEndpoints: readonly CallbackEndpoint[] = [handshake, webhook];

function refused({ name }: { name: string }, reason: string, log: Logger): AppError {
  log.warn({ carrier: name, reason }, 'a webhook was refused');
  return new AppError('FORBIDDEN', `The webhook ${reason}.`);
}
