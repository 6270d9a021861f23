import type { Logger } from 'pino';
import { AppError } from '../../../platform/errors/app-error.js';
import type { CallbackEndpoint, CallHead, CallOutcome, CarrierCall } from '../../callbacks/endpoint.js';
import type { Carrier } from '../../carrier.js';
import { CarrierError } from '../../carrier-error.js';
import type { HttpAnswer } from '../../http/client.js';
import type { HttpCarrier } from '../http-carrier.js';
import type { Plan, ReportingTopic, ReportKind, VendorCall } from '../plan.js';
import { sealEnvelope } from './envelope.js';
import { withoutQuotedTexts } from './quoted-texts.js';

const KINDS: readonly ReportKind[] = ['receipts', 'inbound', 'events'];

/** `/callbacks/http/{carrier}/{kind}`, and with a secret behind it; some vendors call by GET. */
export const httpEndpoints: readonly CallbackEndpoint[] = KINDS.flatMap((kind) =>
  [`/${kind}`, `/${kind}/:secret`].flatMap((path) =>
    (['GET', 'POST'] as const).map((method) => endpointOf(kind, method, path)),
  ),
);

function endpointOf(kind: ReportKind, method: 'GET' | 'POST', path: string): CallbackEndpoint {
  return {
    method,
    path,
    admit: (carrier, call, log) => void planOf(carrier, call, log),
    prepare: (carrier, call, log) => haveCertificate(carrier as HttpCarrier, call, log),
    take: (carrier, call, log) => {
      const { plan, verify } = planOf(carrier, call, log);
      const problem = verify(vendorCall(plan, call), (carrier as HttpCarrier).now());
      if (problem !== null) throw refused(carrier, problem, log);
      const { callbackAnswer: answer, callbackAnswerType: answerType, sns } = plan;
      if (sns && sns.kindOf(call.body) !== 'report') return subscription(carrier as HttpCarrier, sns, call.body, log);
      return { store: stored(plan, kind, call), answer, ...(answerType !== undefined && { answerType }) };
    },
  };
}

/**
 * The certificate that a message of Amazon SNS is signed with.
 * @throws {AppError} UNAVAILABLE where none could be had: SNS calls again after a 5xx alone, and what it told would be lost
 */
async function haveCertificate(carrier: HttpCarrier, call: CarrierCall, log: Logger): Promise<void> {
  const { plan } = planOf(carrier, call, log);
  const url = plan.sns?.missingCertificate(vendorCall(plan, call));
  if (!plan.sns || !url) return;
  const { status, text } = await askSns(carrier, url, log);
  if (status !== 200 || !plan.sns.learn(url, text)) throw unavailable('Amazon SNS did not hand out its certificate.');
}

/** Confirms a subscription to the topic of the carrier's settings, or tells that one has ended. */
function subscription(carrier: HttpCarrier, sns: ReportingTopic, body: Buffer, log: Logger): CallOutcome {
  if (sns.kindOf(body) === 'end') {
    log.warn({ carrier: carrier.name }, 'a subscription of a carrier to its topic of Amazon SNS has ended');
    return { answer: '' };
  }
  return {
    answer: '',
    complete: async () => {
      const { status } = await askSns(carrier, sns.confirmationOf(body), log);
      if (status !== 200) throw unavailable(`Amazon SNS answered the confirmation with status ${status}.`);
      log.info({ carrier: carrier.name }, 'a subscription to the topic of Amazon SNS was confirmed');
    },
  };
}

async function askSns(carrier: HttpCarrier, url: URL, log: Logger): Promise<HttpAnswer> {
  const answer = await carrier.read(url).catch((error: unknown) => {
    if (!(error instanceof CarrierError)) throw error;
    log.warn({ carrier: carrier.name, code: error.code }, 'Amazon SNS could not be asked');
    return null;
  });
  if (!answer || answer.status >= 500) throw unavailable('Amazon SNS could not be asked.');
  return answer;
}

function unavailable(text: string): AppError {
  return new AppError('UNAVAILABLE', text);
}

function vendorCall({ publicUrl }: Plan, { method, url, headers, body, ip, params }: CarrierCall): VendorCall {
  return { method, url: `${publicUrl ?? ''}${url}`, headers, body, ip, pathSecret: params.secret ?? null };
}

/** What can be said before a body is read. */
function planOf(carrier: Carrier, call: Pick<CallHead, 'headers'>, log: Logger) {
  const { plan } = carrier as HttpCarrier;
  if (!plan.verify)
    throw refused(carrier, 'cannot be told from any other: the carrier has no secret for callbacks', log);
  if (call.headers['content-encoding'] !== undefined) throw refused(carrier, 'is compressed', log);
  return { plan, verify: plan.verify };
}

function stored(plan: Plan, kind: ReportKind, call: CarrierCall): Buffer {
  const { body, headers } = call;
  const query = plan.readQuery?.(call.url) ?? call.query;
  if (body.length === 0) return sealEnvelope(withoutQuotedTexts(plan, { kind, query }));
  const isForm = String(headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
  const envelope = { kind, query, text: body.toString('utf8'), ...(isForm && { isForm }) };
  return sealEnvelope(withoutQuotedTexts(plan, envelope));
}

function refused({ name }: Pick<Carrier, 'name'>, reason: string, log: Logger): AppError {
  log.warn({ carrier: name, reason }, 'a call of a vendor was refused');
  return new AppError('FORBIDDEN', `The call ${reason}.`);
}
