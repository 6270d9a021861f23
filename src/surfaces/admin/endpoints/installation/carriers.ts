import { findUnmatched } from '../../../../carriers/callbacks/unmatched/find-store.js';
import { queueReplay } from '../../../../carriers/callbacks/unmatched/replay-queue-store.js';
import type { CarrierType } from '../../../../carriers/carrier-type.js';
import { findCalls } from '../../../../carriers/http/call-store.js';
import type { CarrierRegistry } from '../../../../carriers/registry/registry.js';
import { auditCarrierChange } from '../../../../carriers/setup/audit-carrier-change.js';
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
import { auditTry, requireTriable } from '../../../../carriers/setup/try.js';
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
import { type Endpoints, routesOf } from '../../endpoint.js';
import { requireVersion, versionOf } from '../../versions.js';

export interface CarriersOptions {
  prisma: Parameters<typeof listCarriersWithStatus>[0];
  /** Their types, built-in ones included. */
  carriers: Pick<CarrierRegistry, 'types' | 'smsCarrierName' | 'privateHosts'>;
  /** Where the secrets of carriers may stand. */
  carrierSecrets: AllowedReferences;
  clock: Clock;
}

/** The types of which operators set carriers up. */
export function typesToSetUp({ carriers }: Pick<CarriersOptions, 'carriers'>): CarrierType[] {
  return carriers.types.filter(({ type }) => !findBuiltInType(type));
}

/** The ways out of the installation. */
export const carrierEndpoints: Endpoints<CarriersOptions> = async (app, options) => {
  const route = routesOf(app, CARRIERS);
  const { prisma, clock, carrierSecrets: references } = options;
  const types = typesToSetUp(options);

  route('GET /carriers', async () => {
    const carriers = await listCarriersWithStatus(prisma, types);
    return ok(carriers.map((each) => ({ ...versioned(each), processes: each.processes.map(processView) })));
  });

  route('GET /carriers/types', async () => ok(describeTypes(types)));

  route('POST /carriers', async (request) => {
    const { name, type, settings, isActive } = request.body;
    return request.change(async (change) => {
      const made = toCarrierView(
        await addCarrier(change.prisma, { name, type, settings, isActive, references }, types),
        types,
      );
      return { result: ok(versioned(made)), told: { action: 'carrier.create', subject: name, after: audited(made) } };
    });
  });

  route('PATCH /carriers/:name', async (request) => {
    const { name } = request.params;
    const { set = {}, unset = [], isActive } = request.body;
    return request.change(async (change) => {
      const was = await lockCarrier(change.prisma, name);
      requireVersion(request, versioned(toCarrierView(was, types)).version);
      const now = await changeCarrier(change.prisma, name, { set, unset, isActive, references }, types);
      const after = toCarrierView(now, types);
      return { result: ok(versioned(after)), told: auditCarrierChange(was, now, types) };
    });
  });

  route('DELETE /carriers/:name', async (request) => {
    const { name } = request.params;
    return request.change(async (change) => {
      const before = toCarrierView(await lockCarrier(change.prisma, name), types);
      await removeCarrier(change.prisma, name);
      return { result: done(), told: { action: 'carrier.remove', subject: name, before: audited(before) } };
    });
  });

  route('POST /carriers/:name/check', async (request) => {
    const { name } = request.params;
    // Written first: the check sends secrets, and a line that could not be written must not go without it.
    await request.change(async (change) => {
      await requireCarrier(change.prisma, name);
      return { result: null, told: { action: 'carrier.check', subject: name } };
    });
    const steps = await checkCarrierByName(prisma, name, { types, clock, privateHosts: options.carriers.privateHosts });
    return ok({ ok: steps.every(({ problem }) => problem === null), steps });
  });

  route('POST /carriers/:name/try', async (request) => {
    const { name } = request.params;
    const { from, to, text } = request.body;
    const message = { from, to, text };
    // Written first, as of a check: a message that could not be told of is not sent.
    await request.change(async (change) => {
      requireTriable(await requireCarrier(change.prisma, name), message, types);
      return { result: null, told: auditTry(name, message) };
    });
    return ok(
      await tryCarrierByName(prisma, name, message, { types, clock, privateHosts: options.carriers.privateHosts }),
    );
  });

  route('GET /carriers/:name/kept-reports', async ({ params: { name }, query }) => {
    if (!findBuiltInType(name)) await requireCarrier(prisma, name);
    const asked = cursorPage(query);
    const found = await findUnmatched(prisma, { carrier: name }, oneMore(asked));
    return cut(
      found.map(({ id, kind, reason, channelId, form, receivedAt, isAsked }) => ({
        ...{ id, kind, reason, channelId, isAsked },
        hasTexts: form === 'sealed',
        receivedAt: receivedAt.toISOString(),
      })),
      asked,
    );
  });

  route('POST /carriers/:name/kept-reports/replay', async (request) => {
    const { name } = request.params;
    const id = request.body.id === undefined ? null : bodyId(request.body.id, 'id');
    return request.change(async (change) => {
      if (!findBuiltInType(name)) await requireCarrier(change.prisma, name);
      const asked = await queueReplay(change.client, name, id);
      const isNone = asked.reports + asked.callbacks === 0;
      const told = { action: 'callbacks.replay', subject: name, after: { ...(id !== null && { id }), ...asked } };
      return { result: ok(asked), told: isNone ? null : told };
    });
  });

  route('GET /carriers/:name/calls', async ({ params: { name }, query }) => {
    const { status, messageId } = query;
    if (messageId !== undefined && !isUuid(messageId)) throw invalidField('messageId', 'must be the id of a message');
    if (!findBuiltInType(name)) await requireCarrier(prisma, name);
    const asked = cursorPage(query);
    const found = await findCalls(prisma, name, { failed: status === 'failed', messageId }, oneMore(asked));
    return cut(
      found.map((call) => ({ ...call, at: call.at.toISOString() })),
      asked,
    );
  });
};

function processView(report: ProcessReport) {
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
    lastError: lastErrorView(report),
    isFresh,
    refreshedAt: refreshedAt.toISOString(),
  };
}

function lastErrorView(report: ProcessReport) {
  const found = findLastError(report);
  return found && { text: found.text, at: found.at.toISOString() };
}

/** A carrier with its version; two changes of secrets that nobody sees differ by their time. */
function versioned<T extends { isActive: boolean; settings: object; updatedAt: string | null }>(carrier: T) {
  const { isActive, settings, updatedAt } = carrier;
  return { ...carrier, version: versionOf({ isActive, settings, updatedAt }) };
}

/** What the audit log tells of a carrier: what an operator may see of it. */
function audited({ type, isActive, settings }: { type: string; isActive: boolean; settings: object }) {
  return { type, isActive, settings };
}
