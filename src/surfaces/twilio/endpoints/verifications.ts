import type { Static } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { isPhoneNumber, phoneRule } from '../../../carriers/numbers/phone-numbers.js';
import { extractDigits } from '../../../carriers/numbers/written-numbers.js';
import { buildCodeRequest } from '../../../features/verifications/code-request.js';
import { serviceTemplate } from '../../../features/verifications/services/hook-messages.js';
import { findPendingRecipient, findServiceCode } from '../../../features/verifications/services/service-codes-store.js';
import { findService, type Service, type ServiceStore } from '../../../features/verifications/services/services.js';
import * as texts from '../../../features/verifications/texts.js';
import type { Verifications } from '../../../features/verifications/verifications.js';
import { maskDigits } from '../../../messages/sign-in-codes/code-seal.js';
import { idOfSid } from '../../../platform/text/sids.js';
import { idempotencyClaim, noteReplay } from '../../http/idempotency-key.js';
import { type CodeComposing, composeCode } from '../../resources/sends/compose-code.js';
import { accountOf, type Endpoints, notFound, ServicePath, VerificationPath } from '../endpoint.js';
import { badParameter, errorsTwilio, ofVerification } from '../errors.js';
import { takeToken } from './idempotency-token.js';
import {
  CheckBody,
  CheckResource,
  VerificationBody,
  VerificationResource,
  VerificationUpdate,
} from './verification-schemas.js';
import { checkResource, verificationResource } from './verification-view.js';

export interface VerifyOptions extends CodeComposing, ServiceStore {
  verifications: Verifications;
}

type OfService = FastifyRequest<{ Params: { ServiceSid: string } }>;

/** The verifications of a service: `/v2/Services/{ServiceSid}/Verifications` and `VerificationCheck`. */
export const verificationsEndpoints: Endpoints<VerifyOptions> = async (app, options) => {
  const { pool, prisma, clock, verifications } = options;

  /** @throws {AppError} NOT_FOUND, where it is no service of the account that programs of Twilio's ask */
  const serviceOf = async (request: OfService): Promise<Service> => {
    const id = idOfSid(request.params.ServiceSid, 'VA');
    const service = id === null ? null : await findService(prisma, id);
    if (service?.accountId !== accountOf(request).id || service.type !== 'verify') throw notFound(request);
    return service;
  };
  const foundCode = async (request: OfService, { id: serviceId, accountId }: Service, id: string) => {
    const code = await findServiceCode(pool, { accountId, serviceId, id });
    if (!code) throw notFound(request);
    return [code, { accountId, serviceId }] as const;
  };
  /** A code that lives, by its SID. @throws {AppError} NOT_FOUND, as Twilio forgets codes that were used or are past their life */
  const pendingOf = async (request: OfService, { id: serviceId, accountId }: Service, sid: string) => {
    const id = idOfSid(sid, 'VE');
    const which = id === null ? null : { accountId, serviceId, id };
    const recipient = which && (await findPendingRecipient(pool, which, clock.now()));
    if (!which || recipient === null) throw notFound(request);
    return { which, recipient };
  };
  const numberIn = (to: string | undefined): string => {
    if (!to) throw badParameter(60200, 'To', 'is required');
    const digits = extractDigits(to);
    // The send checks it by its channel. Whatever a code went to, by SMS or WhatsApp, can be checked.
    if (digits === null || !isPhoneNumber(digits, 'calling-code')) {
      throw badParameter(60200, 'To', phoneRule(digits ?? to));
    }
    return digits;
  };

  app.post(
    '/Verifications',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'twilioCreateVerification',
        summary: "Send a sign-in code, as Twilio's Verify API",
        description:
          'By SMS or WhatsApp, as `heliograph sign-in add` set the service up. A code lives ten minutes; asked again ' +
          'meanwhile, the same one is sent. The sixth send to a recipient within ten minutes is refused by 60203.',
        params: ServicePath,
        body: VerificationBody,
        response: { 201: VerificationResource, ...errorsTwilio([402, 409, 422]) },
      },
    },
    async (request, reply) => {
      const service = await serviceOf(request);
      const account = accountOf(request);
      takeToken(request);
      const claim = idempotencyClaim(request, `POST /v2/Services/${service.id}/Verifications`);
      const to = numberIn(request.body.To);
      const send = sendOf(service, to, request.body);
      try {
        const composed = await composeCode(options, request, account, send, claim);
        const sent = await verifications.send(composed, service.digits, service.id);
        if (sent.replayed) noteReplay(reply);
        reply.code(201);
        return verificationResource(...(await foundCode(request, service, sent.id)));
      } catch (error) {
        throw ofVerification(error, 60203);
      }
    },
  );

  app.get(
    '/Verifications/:Sid',
    {
      schema: {
        operationId: 'twilioFetchVerification',
        summary: "Ask for a code that lives, as Twilio's Verify API",
        description: 'Without the code. One that was used or canceled, or is past its life, is 404.',
        params: VerificationPath,
        response: { 200: VerificationResource },
      },
    },
    async (request) => {
      const service = await serviceOf(request);
      const { which } = await pendingOf(request, service, request.params.Sid);
      return verificationResource(...(await foundCode(request, service, which.id)));
    },
  );

  app.post(
    '/Verifications/:Sid',
    {
      schema: {
        operationId: 'twilioUpdateVerification',
        summary: "End a code that lives, as Twilio's Verify API",
        description: 'Messages with it that no carrier took yet end, and are refunded.',
        params: VerificationPath,
        body: VerificationUpdate,
        response: { 200: VerificationResource },
      },
    },
    async (request) => {
      const service = await serviceOf(request);
      const { Status: status } = request.body;
      if (status !== 'canceled' && status !== 'approved') {
        throw badParameter(60200, 'Status', 'must be canceled or approved');
      }
      const { which } = await pendingOf(request, service, request.params.Sid);
      if (!(await verifications.end(which, status))) throw notFound(request);
      return verificationResource(...(await foundCode(request, service, which.id)));
    },
  );

  app.post(
    '/VerificationCheck',
    {
      schema: {
        operationId: 'twilioCheckVerification',
        summary: "Check a sign-in code, as Twilio's Verify API",
        description:
          'A wrong code is `pending` and not `valid`. The sixth check within ten minutes is refused by 60202; without a code ' +
          'that lives it is 404.',
        params: ServicePath,
        body: CheckBody,
        response: { 201: CheckResource, ...errorsTwilio([409]) },
      },
    },
    async (request, reply) => {
      const service = await serviceOf(request);
      requireSupported(request.body);
      const { To, VerificationSid, Code: entered = '' } = request.body;
      if (!/^\d{4,10}$/.test(entered)) throw badParameter(60200, 'Code', 'must be 4 to 10 digits');
      if (!To === !VerificationSid) throw badParameter(60200, 'To', 'or VerificationSid is required, and not both');
      const to = VerificationSid ? (await pendingOf(request, service, VerificationSid)).recipient : numberIn(To);
      try {
        const checked = await verifications.check(accountOf(request), to, entered, service.id);
        reply.code(201);
        return checkResource(...(await foundCode(request, service, checked.id)));
      } catch (error) {
        throw ofVerification(error, 60202);
      }
    },
  );
};

/** @throws {TwilioError} 60204 for what would make the code or its text another one than who asks expects */
function requireSupported(form: Partial<Static<typeof VerificationBody>>): void {
  for (const name of ['CustomCode', 'CustomMessage', 'Amount', 'Payee'] as const) {
    if (form[name]) throw badParameter(60204, name, 'is not supported: codes and texts are made here');
  }
}

/** @throws {TwilioError} for a parameter that breaks a rule */
function sendOf(service: Service, to: string, form: Static<typeof VerificationBody>) {
  requireSupported(form);
  const { Channel: channel = '', Locale, CustomFriendlyName, AppHash } = form;
  const known = (name: string, value: string | undefined, pattern: string, most: number, rule: string) => {
    if (!value) return undefined;
    if (value.length > most || !new RegExp(pattern, 'u').test(value)) throw badParameter(60200, name, rule);
    return value;
  };
  if (channel !== 'sms' && channel !== 'whatsapp') throw badParameter(60200, 'Channel', 'must be sms or whatsapp');
  const template = serviceTemplate(service);
  if (channel === 'whatsapp' && !template)
    throw badParameter(60223, 'Channel', 'whatsapp needs a template of the service');
  const name = known('CustomFriendlyName', CustomFriendlyName, texts.APP_NAME, texts.MAX_APP_NAME, texts.APP_NAME_RULE);
  const locale =
    known('Locale', Locale, texts.LOCALE, texts.MAX_LOCALE, texts.LOCALE_RULE) ?? service.locale ?? undefined;
  const androidHash = known('AppHash', AppHash, texts.ANDROID_HASH, 11, texts.ANDROID_HASH_RULE);
  return buildCodeRequest(
    {
      to,
      sender: service.sender,
      text: {
        appName: name ?? service.appName,
        ...(locale !== undefined && { locale }),
        ...(androidHash !== undefined && { androidHash }),
      },
      whatsapp: channel === 'whatsapp' ? template : null,
    },
    maskDigits(service.digits),
  );
}
