import type { FastifyRequest } from 'fastify';
import { isUserId } from '../../../../carriers/numbers/user-ids.js';
import { listInbound } from '../../../../features/inbound/list.js';
import type { InboundFilter } from '../../../../features/inbound/list-store.js';
import type { FieldProblem } from '../../../../platform/errors/app-error.js';
import { invalidFields } from '../../../../platform/errors/field-problems.js';
import { readIdTime } from '../../../../platform/ids.js';
import type { Reads } from '../../../../platform/reads/reads.js';
import { parseFilterTime } from '../../../../platform/timestamps.js';
import type { UseCaseOptions } from '../../../http/use-case-options.js';
import { cursorPage, page } from '../../answers.js';
import { INBOUND } from '../../contract/messages/inbound.js';
import type { INBOUND_FILTERS } from '../../contract/messages/inbound-schemas.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestAccount } from '../../session-auth.js';

export type InboundEndpointOptions = UseCaseOptions<typeof listInbound> & { reads: Reads };

const SHOWN_CHARACTERS = 160;
/** ITU-T E.164 §6. */
const NUMBER = /^\d{1,15}$/;

export const inboundEndpoints: Endpoints<InboundEndpointOptions> = async (app, options) => {
  const route = registerRoutes(app, INBOUND);
  route('GET /accounts/:accountId/inbound', async (request) => {
    const filter = readFilter(request, request.query);
    const { entries, next } = await options.reads((store) =>
      listInbound({ ...options, ...store }, filter, cursorPage(request.query)),
    );
    const listEntries = entries.map(({ body, receivedAt, sentAt: _sentAt, payload: _payload, ...entry }) => {
      return { ...entry, text: body.slice(0, SHOWN_CHARACTERS), receivedAt: receivedAt.toISOString() };
    });
    return { ...page(listEntries, next), searchedTo: next === null ? null : readIdTime(next).toISOString() };
  });
};

function readFilter(
  request: FastifyRequest,
  query: Partial<Record<keyof typeof INBOUND_FILTERS, string>>,
): InboundFilter {
  const problems: FieldProblem[] = [];
  const readNumber = (field: 'from' | 'to') => {
    const digits = query[field]?.replace(/[\s+().\-/]/g, '');
    if (query[field] && !NUMBER.test(digits ?? '')) {
      problems.push({ field, rule: 'must be a complete phone number of up to 15 digits, with country code' });
    }
    return digits || null;
  };
  const readSender = (): InboundFilter['from'] => {
    if (query.from && isUserId(query.from)) return { userId: query.from };
    const phone = readNumber('from');
    return phone === null ? null : { phone };
  };
  const { kind } = query;
  if (kind && kind !== 'sms' && kind !== 'whatsapp') {
    problems.push({ field: 'kind', rule: 'must be one of sms, whatsapp' });
  }
  const filter = {
    accountId: requestAccount(request).id,
    from: readSender(),
    to: readNumber('to'),
    kind: (kind || null) as InboundFilter['kind'],
    receivedFrom: parseFilterTime('receivedFrom', query.receivedFrom, problems),
    receivedTo: null,
  };
  if (problems.length > 0) throw invalidFields(problems);
  return filter;
}
