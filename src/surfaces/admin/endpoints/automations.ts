import { type ChangeInHand, inside } from '../../../accounts/audit/change.js';
import { changeOf } from '../../../accounts/audit/change-of.js';
import type { PhoneValidation } from '../../../carriers/numbers/phone-numbers.js';
import {
  createAutomation,
  deleteAutomation,
  getAutomation,
  listAutomationsBefore,
  lockAutomation,
  updateAutomation,
} from '../../../features/automations/automations.js';
import { cancelRun } from '../../../features/automations/cancel.js';
import { getRun, listRunsBefore, triggerAutomation } from '../../../features/automations/runs.js';
import type { Clock } from '../../../platform/clock.js';
import { claimOfPath } from '../../http/idempotency-key.js';
import { pathId } from '../../http/ids.js';
import type { OptionsOf } from '../../http/options-of.js';
import { automationRecord, contactOf, runRecord } from '../../resources/records/automation-records.js';
import { requireVariableNames } from '../../resources/sends/variables.js';
import { cursorPage, cut, done, ok, oneMore } from '../answers.js';
import { AUTOMATIONS } from '../contract/automations.js';
import { type Endpoints, routesOf } from '../endpoint.js';
import { scopeOf, senderOf } from '../session-auth.js';
import { requireVersion, versionOf } from '../versions.js';

export type AutomationsOptions = OptionsOf<
  | typeof createAutomation
  | typeof getAutomation
  | typeof listAutomationsBefore
  | typeof updateAutomation
  | typeof deleteAutomation
  | typeof triggerAutomation
  | typeof listRunsBefore
  | typeof cancelRun
> & { clock: Clock; phoneValidation: PhoneValidation };

/** The automations of a channel and their runs: what Surface B does with them. */
export const automationEndpoints: Endpoints<AutomationsOptions> = async (app, options) => {
  const route = routesOf(app, AUTOMATIONS);
  const { clock, phoneValidation } = options;
  const idOf = ({ id }: { id: string }) => pathId(id, 'automation');

  route('GET /accounts/:accountId/channels/:channelId/automations', async (request) => {
    const page = cursorPage(request.query);
    return cut((await listAutomationsBefore(options, scopeOf(request), oneMore(page))).map(shown), page);
  });

  route('POST /accounts/:accountId/channels/:channelId/automations', async (request) => {
    return request.change(async (change) => {
      const made = shown(await createAutomation(change, senderOf(request), request.body, clock.now()));
      return { result: ok(made), told: { action: 'automation.create', subject: made.id, after: changedIn(made) } };
    });
  });

  route('GET /accounts/:accountId/channels/:channelId/automations/:id', async (request) =>
    ok(shown(await getAutomation(options, scopeOf(request), idOf(request.params)))),
  );

  route('PUT /accounts/:accountId/channels/:channelId/automations/:id', async (request) => {
    const id = idOf(request.params);
    return request.change(async (change) => {
      const before = shown(await lockAutomation(change, scopeOf(request), id));
      requireVersion(request, before.version);
      const changed = await updateAutomation(change, senderOf(request), id, request.body, clock.now());
      const after = shown(changed);
      const told = changeOf('automation.update', id, changedIn(before), changedIn(after));
      return { result: ok(after), told };
    });
  });

  route('DELETE /accounts/:accountId/channels/:channelId/automations/:id', async (request) => {
    const id = idOf(request.params);
    return request.change(async (change) => {
      const before = changedIn(automationRecord(await getAutomation(change, scopeOf(request), id)));
      await deleteAutomation(change, scopeOf(request), id);
      return { result: done(), told: { action: 'automation.delete', subject: id, before } };
    });
  });

  route('POST /accounts/:accountId/channels/:channelId/automations/:id/trigger', async (request) => {
    const { variables = {}, concurrent = false } = request.body;
    requireVariableNames(variables, 'variables');
    const [id, scope] = [idOf(request.params), scopeOf(request)];
    const start = {
      contact: contactOf(request.body, { kind: senderOf(request).channel.kind, validation: phoneValidation }),
      variables,
      concurrent,
    };
    const claim = claimOfPath(request, `${senderOf(request).channel.id} console`);
    return request.change(async (change) => {
      const { run, replayed } = await triggerAutomation(inside(options, change), scope, id, start, claim);
      const result = ok(await shownRun(change, scope, id, run.id));
      const told = { action: 'automation.trigger', subject: id, after: { runId: run.id } };
      return { result, told: replayed ? null : told };
    });
  });

  route('GET /accounts/:accountId/channels/:channelId/automations/:id/runs', async (request) => {
    const page = cursorPage(request.query);
    const filter = { status: request.query.status || undefined, ...oneMore(page) };
    const runs = await listRunsBefore(options, scopeOf(request), idOf(request.params), filter);
    return cut(
      runs.map(({ contact, ...run }) => ({ ...runRecord(run), contact })),
      page,
    );
  });

  route('POST /accounts/:accountId/channels/:channelId/automations/:id/runs/:runId/cancel', async (request) => {
    const [automationId, scope] = [idOf(request.params), scopeOf(request)];
    const id = pathId(request.params.runId, 'run');
    return request.change(async (change) => {
      await cancelRun(inside(options, change), { id, automationId, ...scope });
      const result = ok(await shownRun(change, scope, automationId, id));
      return { result, told: { action: 'run.cancel', subject: id, after: { automationId } } };
    });
  });

  /** One run, as the list shows it. */
  async function shownRun(
    { prisma }: Pick<ChangeInHand, 'prisma'>,
    scope: ReturnType<typeof scopeOf>,
    automationId: string,
    id: string,
  ) {
    const { contact, ...run } = await getRun({ prisma }, scope, automationId, id);
    return { ...runRecord(run), contact };
  }
};

/** An automation as the console shows it. */
function shown(automation: Parameters<typeof automationRecord>[0]) {
  const record = automationRecord(automation);
  return { ...record, version: versionOf(changedIn(record)) };
}

/** What the audit log keeps of an automation. */
function changedIn({ name, keyword, isActive, cooldownSeconds, steps }: ReturnType<typeof automationRecord>) {
  return { name, keyword, isActive, cooldownSeconds, steps };
}
