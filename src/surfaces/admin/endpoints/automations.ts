import { bindToTransaction, type ChangeTransaction } from '../../../accounts/audit/change.js';
import { diffForAudit } from '../../../accounts/audit/diff.js';
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
import { claimForPath } from '../../http/idempotency-key.js';
import { pathId } from '../../http/ids.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { automationRecord, readRunContact, runRecord } from '../../resources/records/automation-records.js';
import { requireVariableNames } from '../../resources/records/variables.js';
import { cursorPage, cut, done, ok, oneMore } from '../answers.js';
import { AUTOMATIONS } from '../contract/automations.js';
import { type Endpoints, registerRoutes } from '../endpoint.js';
import { requestScope, requestSender } from '../session-auth.js';
import { requireVersion, toVersion } from '../versions.js';

export type AutomationsOptions = UseCaseOptions<
  | typeof createAutomation
  | typeof getAutomation
  | typeof listAutomationsBefore
  | typeof updateAutomation
  | typeof deleteAutomation
  | typeof triggerAutomation
  | typeof listRunsBefore
  | typeof cancelRun
> & { clock: Clock; phoneValidation: PhoneValidation };

export const automationEndpoints: Endpoints<AutomationsOptions> = async (app, options) => {
  const route = registerRoutes(app, AUTOMATIONS);
  const { clock, phoneValidation } = options;
  const readAutomationId = ({ id }: { id: string }) => pathId(id, 'automation');

  route('GET /accounts/:accountId/channels/:channelId/automations', async (request) => {
    const page = cursorPage(request.query);
    return cut((await listAutomationsBefore(options, requestScope(request), oneMore(page))).map(toData), page);
  });

  route('POST /accounts/:accountId/channels/:channelId/automations', async (request) => {
    return request.change(async (change) => {
      const created = toData(await createAutomation(change, requestSender(request), request.body, clock.now()));
      return {
        result: ok(created),
        audit: { action: 'automation.create', subject: created.id, after: changeableFields(created) },
      };
    });
  });

  route('GET /accounts/:accountId/channels/:channelId/automations/:id', async (request) =>
    ok(toData(await getAutomation(options, requestScope(request), readAutomationId(request.params)))),
  );

  route('PUT /accounts/:accountId/channels/:channelId/automations/:id', async (request) => {
    const id = readAutomationId(request.params);
    return request.change(async (change) => {
      const before = toData(await lockAutomation(change, requestScope(request), id));
      requireVersion(request, before.version);
      const automation = await updateAutomation(change, requestSender(request), id, request.body, clock.now());
      const after = toData(automation);
      const auditEntry = diffForAudit('automation.update', id, changeableFields(before), changeableFields(after));
      return { result: ok(after), audit: auditEntry };
    });
  });

  route('DELETE /accounts/:accountId/channels/:channelId/automations/:id', async (request) => {
    const id = readAutomationId(request.params);
    return request.change(async (change) => {
      const before = changeableFields(automationRecord(await getAutomation(change, requestScope(request), id)));
      await deleteAutomation(change, requestScope(request), id);
      return { result: done(), audit: { action: 'automation.delete', subject: id, before } };
    });
  });

  route('POST /accounts/:accountId/channels/:channelId/automations/:id/trigger', async (request) => {
    const { variables = {}, concurrent = false } = request.body;
    requireVariableNames(variables, 'variables');
    const [id, scope] = [readAutomationId(request.params), requestScope(request)];
    const input = {
      contact: readRunContact(request.body, { kind: requestSender(request).channel.kind, validation: phoneValidation }),
      variables,
      concurrent,
    };
    const claim = claimForPath(request, `${requestSender(request).channel.id} console`);
    return request.change(async (change) => {
      const { run, replayed } = await triggerAutomation(bindToTransaction(options, change), scope, id, input, claim);
      const result = ok(await readRun(change, scope, id, run.id));
      const auditEntry = { action: 'automation.trigger', subject: id, after: { runId: run.id } };
      return { result, audit: replayed ? null : auditEntry };
    });
  });

  route('GET /accounts/:accountId/channels/:channelId/automations/:id/runs', async (request) => {
    const page = cursorPage(request.query);
    const filter = { status: request.query.status || undefined, ...oneMore(page) };
    const runs = await listRunsBefore(options, requestScope(request), readAutomationId(request.params), filter);
    return cut(
      runs.map(({ contact, ...run }) => ({ ...runRecord(run), contact })),
      page,
    );
  });

  route('POST /accounts/:accountId/channels/:channelId/automations/:id/runs/:runId/cancel', async (request) => {
    const [automationId, scope] = [readAutomationId(request.params), requestScope(request)];
    const id = pathId(request.params.runId, 'run');
    return request.change(async (change) => {
      await cancelRun(bindToTransaction(options, change), { id, automationId, ...scope });
      const result = ok(await readRun(change, scope, automationId, id));
      return { result, audit: { action: 'run.cancel', subject: id, after: { automationId } } };
    });
  });

  async function readRun(
    { prisma }: Pick<ChangeTransaction, 'prisma'>,
    scope: ReturnType<typeof requestScope>,
    automationId: string,
    id: string,
  ) {
    const { contact, ...run } = await getRun({ prisma }, scope, automationId, id);
    return { ...runRecord(run), contact };
  }
};

function toData(automation: Parameters<typeof automationRecord>[0]) {
  const record = automationRecord(automation);
  return { ...record, version: toVersion(changeableFields(record)) };
}

function changeableFields({ name, keyword, isActive, cooldownSeconds, steps }: ReturnType<typeof automationRecord>) {
  return { name, keyword, isActive, cooldownSeconds, steps };
}
