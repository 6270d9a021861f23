import type { Logger } from 'pino';
import { AppError } from '../../../platform/errors/app-error.js';
import type { CallbackEndpoint, CallHead, CallOutcome, CarrierCall } from '../../callbacks/endpoint.js';
import type { Carrier } from '../../carrier.js';
import { CarrierError } from '../../carrier-error.js';
import type { HttpAnswer } from '../../http/client.js';
import type { HttpCarrier } from '../http-carrier.js';
import type { Plan, ReportingTopic, ReportKind, VendorCall } from '../plan.js';
import { serializeEnvelope } from './envelope.js';
import { removeQuotedTexts } from './quoted-texts.js';

const KINDS: readonly ReportKind[] = ['receipts', 'inbound', 'events'];

/** Some vendors send callbacks as GET requests. The path of a callback URL may end with a secret. */
export const httpEndpoints: readonly CallbackEndpoint[] = KINDS.flatMap((kind) =>
  [`/${kind}`, `/${kind}/:secret`].flatMap((path) =>
    (['GET', 'POST'] as const).map((method) => createEndpoint(kind, method, path)),
  ),
);

function createEndpoint(kind: ReportKind, method: 'GET' | 'POST', path: string): CallbackEndpoint {
  return {
    method,
    path,
    admit: (carrier, call, log) => void admitCall(carrier, call, log),
    prepare: (carrier, call, log) => fetchCertificate(carrier as HttpCarrier, call, log),
    handle: (carrier, call, log) => {
      const { plan, verify } = admitCall(carrier, call, log);
      const problem = verify(toVendorCall(plan, call), (carrier as HttpCarrier).now());
      if (problem !== null) throw createRefusal(carrier, problem, log);
      const { callbackAnswer: answer, callbackAnswerType: answerType, sns } = plan;
      if (sns && sns.classify(call.body) !== 'report') {
        return handleSubscription(carrier as HttpCarrier, sns, call.body, log);
      }
      return { store: toEnvelope(plan, kind, call), answer, ...(answerType !== undefined && { answerType }) };
    },
  };
}

/**
 * Every failure becomes the AppError UNAVAILABLE, because SNS repeats a call only after a 5xx status.
 * @throws {AppError}
 */
async function fetchCertificate(carrier: HttpCarrier, call: CarrierCall, log: Logger): Promise<void> {
  const { plan } = admitCall(carrier, call, log);
  const url = plan.sns?.findMissingCertificateUrl(toVendorCall(plan, call));
  if (!plan.sns || !url) return;
  const { status, text } = await fetchFromSns(carrier, url, log);
  if (status !== 200 || !plan.sns.addCertificate(url, text))
    throw createUnavailableError('Amazon SNS returned no valid certificate.');
}

function handleSubscription(carrier: HttpCarrier, sns: ReportingTopic, body: Buffer, log: Logger): CallOutcome {
  if (sns.classify(body) === 'end') {
    log.warn({ carrier: carrier.name }, 'the subscription to the Amazon SNS topic of a carrier has ended');
    return { answer: '' };
  }
  return {
    answer: '',
    complete: async () => {
      const { status } = await fetchFromSns(carrier, sns.buildConfirmationUrl(body), log);
      if (status !== 200) throw createUnavailableError(`Amazon SNS answered the confirmation with status ${status}.`);
      log.info({ carrier: carrier.name }, 'subscription to the Amazon SNS topic confirmed');
    },
  };
}

async function fetchFromSns(carrier: HttpCarrier, url: URL, log: Logger): Promise<HttpAnswer> {
  const answer = await carrier.fetch(url).catch((error: unknown) => {
    if (!(error instanceof CarrierError)) throw error;
    log.warn({ carrier: carrier.name, code: error.code }, 'Amazon SNS cannot be reached');
    return null;
  });
  if (!answer || answer.status >= 500) throw createUnavailableError('Amazon SNS cannot be reached.');
  return answer;
}

function createUnavailableError(text: string): AppError {
  return new AppError('UNAVAILABLE', text);
}

function toVendorCall({ publicUrl }: Plan, { method, url, headers, body, ip, params }: CarrierCall): VendorCall {
  return { method, url: `${publicUrl ?? ''}${url}`, headers, body, ip, pathSecret: params.secret ?? null };
}

function admitCall(carrier: Carrier, call: Pick<CallHead, 'headers'>, log: Logger) {
  const { plan } = carrier as HttpCarrier;
  if (!plan.verify) {
    throw createRefusal(carrier, 'cannot be verified: the carrier has no secret for callbacks', log);
  }
  if (call.headers['content-encoding'] !== undefined) throw createRefusal(carrier, 'is compressed', log);
  return { plan, verify: plan.verify };
}

function toEnvelope(plan: Plan, kind: ReportKind, call: CarrierCall): Buffer {
  const { body, headers } = call;
  const query = plan.readQuery?.(call.url) ?? call.query;
  if (body.length === 0) return serializeEnvelope(removeQuotedTexts(plan, { kind, query }));
  const isForm = String(headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
  const envelope = { kind, query, text: body.toString('utf8'), ...(isForm && { isForm }) };
  return serializeEnvelope(removeQuotedTexts(plan, envelope));
}

function createRefusal({ name }: Pick<Carrier, 'name'>, reason: string, log: Logger): AppError {
  log.warn({ carrier: name, reason }, 'a call of a vendor was refused');
  return new AppError('FORBIDDEN', `The call ${reason}.`);
}
