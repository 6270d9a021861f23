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
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { channelScope } from '../../resources/callers/channel-caller.js';
import { automationRecord, readRunContact, runRecord } from '../../resources/records/automation-records.js';
import {
  AutomationBody,
  AutomationChange,
  AutomationRecord,
  RunRecord,
  TriggerBody,
} from '../../resources/records/automation-schemas.js';
import { requireVariableNames } from '../../resources/records/variables.js';
import { channelClaim } from '../../resources/sends/channel-claim.js';
import { DoneData, done, ok, okOnce } from '../answers.js';
import { AUTOMATIONS, type Endpoints } from '../endpoint.js';
import { answerList, list, listByStatus } from '../lists.js';

export type AutomationOptions = UseCaseOptions<
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
  const readAutomationId = ({ id }: { id: string }) => pathId(id, 'automation');

  app.post(
    '/automations',
    AUTOMATIONS.write({
      operationId: 'createAutomation',
      summary: 'Create an automation, active by default',
      description:
        'The templates and groups used in its steps must exist. 409 if another automation has the same keyword.',
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
      summary: 'List the automations of the channel, newest first',
      ...list('automations', AutomationRecord),
    }),
    ({ query, caller }) =>
      answerList(
        query,
        'automations',
        (page) => listAutomations(options, channelScope(caller), page),
        automationRecord,
      ),
  );

  app.get(
    '/automations/:id',
    AUTOMATIONS.read({
      operationId: 'getAutomation',
      summary: 'Get an automation',
      params: OnePath,
      data: AutomationRecord,
    }),
    async ({ params, caller }) =>
      ok(automationRecord(await getAutomation(options, channelScope(caller), readAutomationId(params)))),
  );

  app.put(
    '/automations/:id',
    AUTOMATIONS.write({
      operationId: 'updateAutomation',
      summary: 'Change fields of an automation',
      description: 'Runs in progress keep the steps they started with.',
      params: OnePath,
      body: AutomationChange,
      data: AutomationRecord,
      errors: [409],
    }),
    async ({ params, caller, body }) =>
      ok(automationRecord(await changeAutomation(options, caller, readAutomationId(params), body, clock.now()))),
  );

  app.delete(
    '/automations/:id',
    AUTOMATIONS.write({
      operationId: 'deleteAutomation',
      summary: 'Delete an automation and its runs',
      description: 'Runs in progress execute no further steps.',
      params: OnePath,
      data: DoneData,
    }),
    async ({ params, caller }) => {
      await deleteAutomation(options, channelScope(caller), readAutomationId(params));
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
        'Responds once the run is stored; the first step is executed moments later. 409 if the automation is not active, or if another run of it is in progress for the contact.',
      params: OnePath,
      body: TriggerBody,
      data: RunRecord,
      errors: [409, 422],
    }),
    async (request, reply) => {
      const { variables = {}, concurrent = false } = request.body;
      requireVariableNames(variables, 'variables');
      const id = readAutomationId(request.params);
      const input = {
        contact: readRunContact(request.body, { kind: request.caller.channel.kind, validation: phoneValidation }),
        variables,
        concurrent,
      };
      const claim = channelClaim(request);
      const { run, replayed } = await triggerAutomation(options, channelScope(request.caller), id, input, claim);
      return okOnce(reply, replayed, runRecord(run));
    },
  );

  app.get(
    '/automations/:id/runs',
    AUTOMATIONS.read({
      operationId: 'listAutomationRuns',
      summary: 'List the runs of an automation, newest first',
      params: OnePath,
      ...listByStatus('runs', RunRecord, 'failed'),
    }),
    ({ params, query, caller }) =>
      answerList(
        query,
        'runs',
        (page) => listRuns(options, channelScope(caller), readAutomationId(params), page),
        runRecord,
      ),
  );

  app.post(
    '/automations/:id/runs/:runId/cancel',
    AUTOMATIONS.write({
      operationId: 'cancelAutomationRun',
      summary: 'Cancel a run in progress',
      description: 'No further steps are executed; sent messages stay sent. 409 if the run has ended.',
      params: RunPath,
      data: RunRecord,
      errors: [409],
    }),
    async ({ params, caller }) => {
      const run = { id: pathId(params.runId, 'run'), automationId: readAutomationId(params), ...channelScope(caller) };
      return ok(runRecord(await cancelRun(options, run)));
    },
  );
};
