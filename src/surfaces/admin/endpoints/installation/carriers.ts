import { findUnmatched } from '../../../../carriers/callbacks/unmatched/find-store.js';
import { queueReplay } from '../../../../carriers/callbacks/unmatched/replay-queue-store.js';
import type { CarrierType } from '../../../../carriers/carrier-type.js';
import { findCalls } from '../../../../carriers/http/call-store.js';
import type { CarrierRegistry } from '../../../../carriers/registry/registry.js';
import { buildCarrierChangeEntry } from '../../../../carriers/setup/audit-carrier-change.js';
import { toCarrierView } from '../../../../carriers/setup/carrier-view.js';
import {
  addCarrier,
  changeCarrier,
  lockCarrier,
  removeCarrier,
  requireCarrier,
} from '../../../../carriers/setup/carriers.js';
import { describeTypes } from '../../../../carriers/setup/describe-types.js';
import type { AllowedReferences } from '../../../../carriers/setup/secret-rules.js';
import { buildTryAuditEntry, requireTriable } from '../../../../carriers/setup/try.js';
import { findBuiltInType } from '../../../../carriers/types.js';
import { findLastError, type ProcessReport } from '../../../../features/carriers/carrier-status.js';
import { checkCarrierByName } from '../../../../features/carriers/check-carrier.js';
import { listCarriersWithStatus } from '../../../../features/carriers/list-carriers.js';
import { tryCarrierByName } from '../../../../features/carriers/try-carrier.js';
import type { Clock } from '../../../../platform/clock.js';
import { invalidField } from '../../../../platform/errors/app-error.js';
import { isUuid } from '../../../../platform/ids.js';
import { bodyId } from '../../../http/ids.js';
import { iso } from '../../../http/schemas/values.js';
import { cursorPage, cut, done, ok, oneMore } from '../../answers.js';
import { CARRIERS } from '../../contract/installation/carriers.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requireVersion, toVersion } from '../../versions.js';

export interface CarriersOptions {
  prisma: Parameters<typeof listCarriersWithStatus>[0];
  /** Includes the built-in types. */
  carriers: Pick<CarrierRegistry, 'types' | 'getSmsCarrierName' | 'privateHosts'>;
  carrierSecrets: AllowedReferences;
  clock: Clock;
}

export function typesToSetUp({ carriers }: Pick<CarriersOptions, 'carriers'>): CarrierType[] {
  return carriers.types.filter(({ type }) => !findBuiltInType(type));
}

export const carrierEndpoints: Endpoints<CarriersOptions> = async (app, options) => {
  const route = registerRoutes(app, CARRIERS);
  const { prisma, clock, carrierSecrets: references } = options;
  const types = typesToSetUp(options);

  route('GET /carriers', async () => {
    const carriers = await listCarriersWithStatus(prisma, types);
    return ok(
      carriers.map((carrier) => ({ ...withVersion(carrier), processes: carrier.processes.map(toProcessData) })),
    );
  });

  route('GET /carriers/types', async () => ok(describeTypes(types)));

  route('POST /carriers', async (request) => {
    const { name, type, settings, isActive } = request.body;
    return request.change(async (change) => {
      const created = toCarrierView(
        await addCarrier(change.prisma, { name, type, settings, isActive, references }, types),
        types,
      );
      return {
        result: ok(withVersion(created)),
        audit: { action: 'carrier.create', subject: name, after: auditedFields(created) },
      };
    });
  });

  route('PATCH /carriers/:name', async (request) => {
    const { name } = request.params;
    const { set = {}, unset = [], isActive } = request.body;
    return request.change(async (change) => {
      const before = await lockCarrier(change.prisma, name);
      requireVersion(request, withVersion(toCarrierView(before, types)).version);
      const carrier = await changeCarrier(change.prisma, name, { set, unset, isActive, references }, types);
      const after = toCarrierView(carrier, types);
      return { result: ok(withVersion(after)), audit: buildCarrierChangeEntry(before, carrier, types) };
    });
  });

  route('DELETE /carriers/:name', async (request) => {
    const { name } = request.params;
    return request.change(async (change) => {
      const before = toCarrierView(await lockCarrier(change.prisma, name), types);
      await removeCarrier(change.prisma, name);
      return { result: done(), audit: { action: 'carrier.remove', subject: name, before: auditedFields(before) } };
    });
  });

  route('POST /carriers/:name/check', async (request) => {
    const { name } = request.params;
    // The audit log entry is written first, because the check sends secrets and must not run unaudited.
    await request.change(async (change) => {
      await requireCarrier(change.prisma, name);
      return { result: null, audit: { action: 'carrier.check', subject: name } };
    });
    const steps = await checkCarrierByName(prisma, name, { types, clock, privateHosts: options.carriers.privateHosts });
    return ok({ ok: steps.every(({ problem }) => problem === null), steps });
  });

  route('POST /carriers/:name/try', async (request) => {
    const { name } = request.params;
    const { from, to, text } = request.body;
    const message = { from, to, text };
    // The audit log entry is written first, because a message must not be sent unaudited.
    await request.change(async (change) => {
      requireTriable(await requireCarrier(change.prisma, name), message, types);
      return { result: null, audit: buildTryAuditEntry(name, message) };
    });
    return ok(
      await tryCarrierByName(prisma, name, message, { types, clock, privateHosts: options.carriers.privateHosts }),
    );
  });

  route('GET /carriers/:name/kept-reports', async ({ params: { name }, query }) => {
    if (!findBuiltInType(name)) await requireCarrier(prisma, name);
    const pageRequest = cursorPage(query);
    const reports = await findUnmatched(prisma, { carrier: name }, oneMore(pageRequest));
    return cut(
      reports.map(({ id, kind, reason, channelId, form, receivedAt, isQueued }) => ({
        ...{ id, kind, reason, channelId, isAsked: isQueued },
        hasTexts: form === 'sealed',
        receivedAt: receivedAt.toISOString(),
      })),
      pageRequest,
    );
  });

  route('POST /carriers/:name/kept-reports/replay', async (request) => {
    const { name } = request.params;
    const id = request.body.id === undefined ? null : bodyId(request.body.id, 'id');
    return request.change(async (change) => {
      if (!findBuiltInType(name)) await requireCarrier(change.prisma, name);
      const queued = await queueReplay(change.client, name, id);
      const isEmpty = queued.reports + queued.callbacks === 0;
      const auditEntry = {
        action: 'callbacks.replay',
        subject: name,
        after: { ...(id !== null && { id }), ...queued },
      };
      return { result: ok(queued), audit: isEmpty ? null : auditEntry };
    });
  });

  route('GET /carriers/:name/calls', async ({ params: { name }, query }) => {
    const { status, messageId } = query;
    if (messageId !== undefined && !isUuid(messageId)) throw invalidField('messageId', 'must be the id of a message');
    if (!findBuiltInType(name)) await requireCarrier(prisma, name);
    const pageRequest = cursorPage(query);
    const calls = await findCalls(prisma, name, { failed: status === 'failed', messageId }, oneMore(pageRequest));
    return cut(
      calls.map((call) => ({ ...call, at: call.at.toISOString() })),
      pageRequest,
    );
  });
};

function toProcessData(report: ProcessReport) {
  const { host, pid, state, since, reason, ratePerSecond, inHand, isFresh, refreshedAt } = report;
  return {
    host,
    pid,
    state,
    since: since.toISOString(),
    reason,
    connections: report.connections.map(({ name, isUp, since: from, lastError, lastErrorAt }) => ({
      name,
      isUp,
      since: new Date(from).toISOString(),
      lastError,
      lastErrorAt: lastErrorAt === null ? null : iso(new Date(lastErrorAt)),
    })),
    ratePerSecond,
    inHand,
    lastError: toLastError(report),
    isFresh,
    refreshedAt: refreshedAt.toISOString(),
  };
}

function toLastError(report: ProcessReport) {
  const lastError = findLastError(report);
  return lastError && { text: lastError.text, at: lastError.at.toISOString() };
}

/** The version includes the time of the last change, because a masked secret looks the same after a change. */
function withVersion<T extends { isActive: boolean; settings: object; updatedAt: string | null }>(carrier: T) {
  const { isActive, settings, updatedAt } = carrier;
  return { ...carrier, version: toVersion({ isActive, settings, updatedAt }) };
}

/** Without secrets. */
function auditedFields({ type, isActive, settings }: { type: string; isActive: boolean; settings: object }) {
  return { type, isActive, settings };
}
