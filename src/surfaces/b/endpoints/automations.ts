import { Type } from '@sinclair/typebox';
import type { PhoneValidation } from '../../../carriers/numbers/phone-numbers.js';
import {
  changeAutomation,
  createAutomation,
  deleteAutomation,
  getAutomation,
  listAutomations,
} from '../../../features/automations/automations.js';
import { cancelRun } from '../../../features/automations/cancel.js';
import { listRuns, triggerAutomation } from '../../../features/automations/runs.js';
import type { Clock } from '../../../platform/clock.js';
import { OnePath, PathId, pathId } from '../../http/ids.js';
import type { OptionsOf } from '../../http/options-of.js';
import { scopeOf } from '../../resources/callers/channel-caller.js';
import { automationRecord, contactOf, runRecord } from '../../resources/records/automation-records.js';
import {
  AutomationBody,
  AutomationChange,
  AutomationRecord,
  RunRecord,
  TriggerBody,
} from '../../resources/records/automation-schemas.js';
import { channelClaim } from '../../resources/sends/channel-claim.js';
import { requireVariableNames } from '../../resources/sends/variables.js';
import { DoneData, done, ok, okOnce } from '../answers.js';
import { AUTOMATIONS, type Endpoints } from '../endpoint.js';
import { list, listByStatus, listOf } from '../lists.js';

export type AutomationOptions = OptionsOf<
  | typeof createAutomation
  | typeof getAutomation
  | typeof listAutomations
  | typeof changeAutomation
  | typeof deleteAutomation
  | typeof triggerAutomation
  | typeof listRuns
  | typeof cancelRun
> & { clock: Clock; phoneValidation: PhoneValidation };

const RunPath = Type.Object({ id: PathId, runId: PathId });

export const automationEndpoints: Endpoints<AutomationOptions> = async (app, options) => {
  const { clock, phoneValidation } = options;
  const automationId = ({ id }: { id: string }) => pathId(id, 'automation');

  app.post(
    '/automations',
    AUTOMATIONS.write({
      operationId: 'createAutomation',
      summary: 'Create an automation, active at once',
      description: 'Templates and groups of its steps must be there. 409 when another automation has the keyword.',
      body: AutomationBody,
      data: AutomationRecord,
      errors: [404, 409],
    }),
    async ({ caller, body }) => ok(automationRecord(await createAutomation(options, caller, body, clock.now()))),
  );

  app.get(
    '/automations',
    AUTOMATIONS.read({
      operationId: 'listAutomations',
      summary: 'List the automations of the channel, the newest first',
      ...list('automations', AutomationRecord),
    }),
    ({ query, caller }) =>
      listOf(query, 'automations', (page) => listAutomations(options, scopeOf(caller), page), automationRecord),
  );

  app.get(
    '/automations/:id',
    AUTOMATIONS.read({
      operationId: 'getAutomation',
      summary: 'Ask for an automation',
      params: OnePath,
      data: AutomationRecord,
    }),
    async ({ params, caller }) =>
      ok(automationRecord(await getAutomation(options, scopeOf(caller), automationId(params)))),
  );

  app.put(
    '/automations/:id',
    AUTOMATIONS.write({
      operationId: 'updateAutomation',
      summary: 'Change the given fields of an automation',
      description: 'Runs under way keep the steps with which they began.',
      params: OnePath,
      body: AutomationChange,
      data: AutomationRecord,
      errors: [409],
    }),
    async ({ params, caller, body }) =>
      ok(automationRecord(await changeAutomation(options, caller, automationId(params), body, clock.now()))),
  );

  app.delete(
    '/automations/:id',
    AUTOMATIONS.write({
      operationId: 'deleteAutomation',
      summary: 'Delete an automation and its runs',
      description: 'Runs under way do no further step.',
      params: OnePath,
      data: DoneData,
    }),
    async ({ params, caller }) => {
      await deleteAutomation(options, scopeOf(caller), automationId(params));
      return done('The automation was deleted.');
    },
  );

  app.post(
    '/automations/:id/trigger',
    AUTOMATIONS.write({
      operationId: 'triggerAutomation',
      idempotent: true,
      summary: 'Start an automation for a contact',
      description:
        'Answers once the run is stored; its first step is done within moments. 409 when the automation is switched off, or another run of it for the contact is under way.',
      params: OnePath,
      body: TriggerBody,
      data: RunRecord,
      errors: [409, 422],
    }),
    async (request, reply) => {
      const { variables = {}, concurrent = false } = request.body;
      requireVariableNames(variables, 'variables');
      const id = automationId(request.params);
      const start = {
        contact: contactOf(request.body, { kind: request.caller.channel.kind, validation: phoneValidation }),
        variables,
        concurrent,
      };
      const claim = channelClaim(request);
      const { run, replayed } = await triggerAutomation(options, scopeOf(request.caller), id, start, claim);
      return okOnce(reply, replayed, runRecord(run));
    },
  );

  app.get(
    '/automations/:id/runs',
    AUTOMATIONS.read({
      operationId: 'listAutomationRuns',
      summary: 'List the runs of an automation, the newest first',
      params: OnePath,
      ...listByStatus('runs', RunRecord, 'failed'),
    }),
    ({ params, query, caller }) =>
      listOf(query, 'runs', (page) => listRuns(options, scopeOf(caller), automationId(params), page), runRecord),
  );

  app.post(
    '/automations/:id/runs/:runId/cancel',
    AUTOMATIONS.write({
      operationId: 'cancelAutomationRun',
      summary: 'Cancel a run that is under way',
      description: 'It does no further step; messages that it has sent stay sent. 409 when it has ended.',
      params: RunPath,
      data: RunRecord,
      errors: [409],
    }),
    async ({ params, caller }) => {
      const run = { id: pathId(params.runId, 'run'), automationId: automationId(params), ...scopeOf(caller) };
      return ok(runRecord(await cancelRun(options, run)));
    },
  );
};
