import type { Logger } from 'pino';
import { AppError } from '../../../platform/errors/app-error.js';
import type { CallbackEndpoint, CallHead, CarrierCall } from '../../callbacks/endpoint.js';
import type { Carrier } from '../../carrier.js';
import type { HttpCarrier } from '../http-carrier.js';
import type { ReportKind } from '../plan.js';
import { sealEnvelope } from './envelope.js';

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
    take: (carrier, call, log) => {
      const { plan, verify } = planOf(carrier, call, log);
      const problem = verify(
        {
          method: call.method,
          url: `${plan.publicUrl ?? ''}${call.url}`,
          headers: call.headers,
          body: call.body,
          ip: call.ip,
          pathSecret: call.params.secret ?? null,
        },
        (carrier as HttpCarrier).now(),
      );
      if (problem !== null) throw refused(carrier, problem, log);
      const { callbackAnswer: answer, callbackAnswerType: answerType } = plan;
      return { store: stored(kind, call), answer, ...(answerType !== undefined && { answerType }) };
    },
  };
}

/** What can be said before a body is read. */
function planOf(carrier: Carrier, call: Pick<CallHead, 'headers'>, log: Logger) {
  const { plan } = carrier as HttpCarrier;
  if (!plan.verify)
    throw refused(carrier, 'cannot be told from any other: the carrier has no secret for callbacks', log);
  if (call.headers['content-encoding'] !== undefined) throw refused(carrier, 'is compressed', log);
  return { plan, verify: plan.verify };
}

function stored(kind: ReportKind, { query, body, headers }: CarrierCall): Buffer {
  if (body.length === 0) return sealEnvelope({ kind, query });
  const isForm = String(headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
  return sealEnvelope({ kind, query, text: body.toString('utf8'), ...(isForm && { isForm }) });
}

function refused({ name }: Pick<Carrier, 'name'>, reason: string, log: Logger): AppError {
  log.warn({ carrier: name, reason }, 'a call of a vendor was refused');
  return new AppError('FORBIDDEN', `The call ${reason}.`);
}
