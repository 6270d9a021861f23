import type { Static } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { explainPhoneRule, isPhoneNumber } from '../../../carriers/numbers/phone-numbers.js';
import { extractDigits } from '../../../carriers/numbers/written-numbers.js';
import { buildCodeRequest } from '../../../features/verifications/code-request.js';
import { toServiceTemplate } from '../../../features/verifications/services/hook-messages.js';
import { findPendingRecipient, findServiceCode } from '../../../features/verifications/services/service-codes-store.js';
import { findService, type Service, type ServiceStore } from '../../../features/verifications/services/services.js';
import * as texts from '../../../features/verifications/texts.js';
import type { Verifications } from '../../../features/verifications/verifications.js';
import { maskDigits } from '../../../messages/sign-in-codes/code-seal.js';
import { parseSid } from '../../../platform/text/sids.js';
import { idempotencyClaim, markReplayed } from '../../http/idempotency-key.js';
import { type ComposeCodeOptions, composeCode } from '../../resources/sends/compose-code.js';
import { type Endpoints, notFound, requestAccount, ServicePath, VerificationPath } from '../endpoint.js';
import { badParameter, errorsTwilio, toVerificationError } from '../errors.js';
import { applyTwilioToken } from './idempotency-token.js';
import {
  CheckBody,
  CheckResource,
  VerificationBody,
  VerificationResource,
  VerificationUpdate,
} from './verification-schemas.js';
import { checkResource, verificationResource } from './verification-view.js';

export interface VerifyOptions extends ComposeCodeOptions, ServiceStore {
  verifications: Verifications;
}

type ServiceRequest = FastifyRequest<{ Params: { ServiceSid: string } }>;

export const verificationsEndpoints: Endpoints<VerifyOptions> = async (app, options) => {
  const { pool, prisma, clock, verifications } = options;

  const requireService = async (request: ServiceRequest): Promise<Service> => {
    const id = parseSid(request.params.ServiceSid, 'VA');
    const service = id === null ? null : await findService(prisma, id);
    if (service?.accountId !== requestAccount(request).id || service.type !== 'verify') throw notFound(request);
    return service;
  };
  const requireCode = async (request: ServiceRequest, { id: serviceId, accountId }: Service, id: string) => {
    const code = await findServiceCode(pool, { accountId, serviceId, id });
    if (!code) throw notFound(request);
    return [code, { accountId, serviceId }] as const;
  };
  /** @throws {AppError} NOT_FOUND, as in Twilio's API, also for used and expired codes */
  const requirePendingCode = async (request: ServiceRequest, { id: serviceId, accountId }: Service, sid: string) => {
    const id = parseSid(sid, 'VE');
    const key = id === null ? null : { accountId, serviceId, id };
    const recipient = key && (await findPendingRecipient(pool, key, clock.now()));
    if (!key || recipient === null) throw notFound(request);
    return { key, recipient };
  };
  const readNumber = (to: string | undefined): string => {
    if (!to) throw badParameter(60200, 'To', 'is required');
    const digits = extractDigits(to);
    // The lenient rule suffices here, because sending a code also applies the rules of the channel.
    if (digits === null || !isPhoneNumber(digits, 'calling-code')) {
      throw badParameter(60200, 'To', explainPhoneRule(digits ?? to));
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
          'By SMS or WhatsApp, as configured with `heliograph sign-in add`. A code is valid for ten minutes; a repeated request in that ' +
          'time sends the same code. The sixth message to a recipient within ten minutes is refused with 60203.',
        params: ServicePath,
        body: VerificationBody,
        response: { 201: VerificationResource, ...errorsTwilio([402, 409, 422]) },
      },
    },
    async (request, reply) => {
      const service = await requireService(request);
      const account = requestAccount(request);
      applyTwilioToken(request);
      const claim = idempotencyClaim(request, `POST /v2/Services/${service.id}/Verifications`);
      const to = readNumber(request.body.To);
      const send = buildSend(service, to, request.body);
      try {
        const composed = await composeCode(options, request, account, send, claim);
        const verification = await verifications.send(composed, service.digits, service.id);
        if (verification.replayed) markReplayed(reply);
        reply.code(201);
        return verificationResource(...(await requireCode(request, service, verification.id)));
      } catch (error) {
        throw toVerificationError(error, 60203);
      }
    },
  );

  app.get(
    '/Verifications/:Sid',
    {
      schema: {
        operationId: 'twilioFetchVerification',
        summary: "Get a verification, as Twilio's Verify API",
        description:
          'The response does not contain the code. If the code was used, canceled or has expired, the response is 404.',
        params: VerificationPath,
        response: { 200: VerificationResource },
      },
    },
    async (request) => {
      const service = await requireService(request);
      const { key } = await requirePendingCode(request, service, request.params.Sid);
      return verificationResource(...(await requireCode(request, service, key.id)));
    },
  );

  app.post(
    '/Verifications/:Sid',
    {
      schema: {
        operationId: 'twilioUpdateVerification',
        summary: "Cancel or approve a verification, as Twilio's Verify API",
        description: 'Messages of the verification that no carrier has accepted yet are canceled and refunded.',
        params: VerificationPath,
        body: VerificationUpdate,
        response: { 200: VerificationResource },
      },
    },
    async (request) => {
      const service = await requireService(request);
      const { Status: status } = request.body;
      if (status !== 'canceled' && status !== 'approved') {
        throw badParameter(60200, 'Status', 'must be canceled or approved');
      }
      const { key } = await requirePendingCode(request, service, request.params.Sid);
      if (!(await verifications.end(key, status))) throw notFound(request);
      return verificationResource(...(await requireCode(request, service, key.id)));
    },
  );

  app.post(
    '/VerificationCheck',
    {
      schema: {
        operationId: 'twilioCheckVerification',
        summary: "Check a sign-in code, as Twilio's Verify API",
        description:
          'A wrong code is `pending` and not `valid`. The sixth check within ten minutes is refused with 60202. If there is ' +
          'no valid code for the recipient, the response is 404.',
        params: ServicePath,
        body: CheckBody,
        response: { 201: CheckResource, ...errorsTwilio([409]) },
      },
    },
    async (request, reply) => {
      const service = await requireService(request);
      requireSupported(request.body);
      const { To, VerificationSid, Code: enteredCode = '' } = request.body;
      if (!/^\d{4,10}$/.test(enteredCode)) throw badParameter(60200, 'Code', 'must be 4 to 10 digits');
      if (!To === !VerificationSid) throw badParameter(60200, 'To', 'or VerificationSid is required, and not both');
      const to = VerificationSid
        ? (await requirePendingCode(request, service, VerificationSid)).recipient
        : readNumber(To);
      try {
        const verification = await verifications.check(requestAccount(request), to, enteredCode, service.id);
        reply.code(201);
        return checkResource(...(await requireCode(request, service, verification.id)));
      } catch (error) {
        throw toVerificationError(error, 60202);
      }
    },
  );
};

/** @throws {TwilioError} 60204 for unsupported parameters that would change the code or the text */
function requireSupported(form: Partial<Static<typeof VerificationBody>>): void {
  for (const name of ['CustomCode', 'CustomMessage', 'Amount', 'Payee'] as const) {
    if (form[name]) throw badParameter(60204, name, 'is not supported: codes and texts are created here');
  }
}

function buildSend(service: Service, to: string, form: Static<typeof VerificationBody>) {
  requireSupported(form);
  const { Channel: channel = '', Locale, CustomFriendlyName, AppHash } = form;
  const validate = (name: string, value: string | undefined, pattern: string, maxLength: number, rule: string) => {
    if (!value) return undefined;
    if (value.length > maxLength || !new RegExp(pattern, 'u').test(value)) throw badParameter(60200, name, rule);
    return value;
  };
  if (channel !== 'sms' && channel !== 'whatsapp') throw badParameter(60200, 'Channel', 'must be sms or whatsapp');
  const template = toServiceTemplate(service);
  if (channel === 'whatsapp' && !template)
    throw badParameter(60223, 'Channel', 'whatsapp requires a service with a template');
  const name = validate(
    'CustomFriendlyName',
    CustomFriendlyName,
    texts.APP_NAME_PATTERN,
    texts.MAX_APP_NAME_LENGTH,
    texts.APP_NAME_RULE,
  );
  const locale =
    validate('Locale', Locale, texts.LOCALE_PATTERN, texts.MAX_LOCALE_LENGTH, texts.LOCALE_RULE) ??
    service.locale ??
    undefined;
  const androidHash = validate('AppHash', AppHash, texts.ANDROID_HASH_PATTERN, 11, texts.ANDROID_HASH_RULE);
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
