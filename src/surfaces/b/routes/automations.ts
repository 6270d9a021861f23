import { Type } from '@sinclair/typebox';
import {
  createAutomation,
  deleteAutomation,
  getAutomation,
  listAutomations,
  updateAutomation,
} from '../../../features/automations/automations.js';
import { VARIABLE_NAME } from '../../../features/automations/placeholders.js';
import { listRuns, type RunContact, triggerAutomation } from '../../../features/automations/runs.js';
import { invalidField } from '../../../platform/errors.js';
import type { Automation, AutomationRun } from '../../../platform/generated/prisma/client.js';
import { isPhoneNumber, PHONE_RULE, type PhoneValidation } from '../../../platform/text/phone-numbers.js';
import { channelClaim } from '../idempotent.js';
import {
  answer,
  bodyId,
  errorsB,
  listData,
  listQuery,
  ok,
  PathId,
  pageOf,
  pathId,
  type SurfaceBRoutes,
} from '../shared.js';
import { AutomationBody, AutomationChange, AutomationRecord, RunRecord, TriggerBody } from './automation-schemas.js';

const TAGS = ['Automations'];
const OnePath = Type.Object({ id: PathId });
const READ = { scope: 'automations:read' } as const;
const WRITE = { scope: 'automations:write' } as const;

export const automationRoutes: SurfaceBRoutes = async (app, { deps }) => {
  const { config, clock } = deps;

  app.post(
    '/automations',
    {
      config: WRITE,
      schema: {
        operationId: 'createAutomation',
        tags: TAGS,
        summary: 'Create an automation, active at once',
        description: 'Templates and groups of its steps must be there. 409 when another automation has the keyword.',
        body: AutomationBody,
        response: { 200: answer(AutomationRecord), ...errorsB([404, 409]) },
      },
    },
    async ({ caller, body }) => ok(automationRecord(await createAutomation(deps, caller, body, clock.now()))),
  );

  app.get(
    '/automations',
    {
      config: READ,
      schema: {
        operationId: 'listAutomations',
        tags: TAGS,
        summary: 'List the automations of the channel, the newest first',
        querystring: listQuery({}),
        response: { 200: answer(listData('automations', AutomationRecord)) },
      },
    },
    async ({ query, caller: { account, channel } }) => {
      const page = pageOf(query);
      const scope = { accountId: account.id, channelId: channel.id };
      const { automations, total } = await listAutomations(deps, scope, page);
      return ok({ automations: automations.map(automationRecord), total, ...page });
    },
  );

  app.get(
    '/automations/:id',
    {
      config: READ,
      schema: {
        operationId: 'getAutomation',
        tags: TAGS,
        summary: 'Ask for an automation',
        params: OnePath,
        response: { 200: answer(AutomationRecord) },
      },
    },
    async ({ params, caller: { account, channel } }) => {
      const scope = { accountId: account.id, channelId: channel.id };
      return ok(automationRecord(await getAutomation(deps, scope, pathId(params.id, 'automation'))));
    },
  );

  app.put(
    '/automations/:id',
    {
      config: WRITE,
      schema: {
        operationId: 'updateAutomation',
        tags: TAGS,
        summary: 'Change the given fields of an automation',
        description: 'Runs under way keep the steps with which they began.',
        params: OnePath,
        body: AutomationChange,
        response: { 200: answer(AutomationRecord), ...errorsB([409]) },
      },
    },
    async ({ params, caller, body }) =>
      ok(automationRecord(await updateAutomation(deps, caller, pathId(params.id, 'automation'), body, clock.now()))),
  );

  app.delete(
    '/automations/:id',
    {
      config: WRITE,
      schema: {
        operationId: 'deleteAutomation',
        tags: TAGS,
        summary: 'Delete an automation and its runs',
        description: 'Runs under way do no further step.',
        params: OnePath,
        response: { 200: answer(Type.Object({ message: Type.String() })) },
      },
    },
    async ({ params, caller: { account, channel } }) => {
      const scope = { accountId: account.id, channelId: channel.id };
      await deleteAutomation(deps, scope, pathId(params.id, 'automation'));
      return ok({ message: 'The automation was deleted.' });
    },
  );

  app.post(
    '/automations/:id/trigger',
    {
      config: { ...WRITE, idempotent: true },
      schema: {
        operationId: 'triggerAutomation',
        tags: TAGS,
        summary: 'Start an automation for a contact',
        description: 'Answers once the run is stored; its first step is done within moments.',
        params: OnePath,
        body: TriggerBody,
        response: { 200: answer(RunRecord), ...errorsB([422]) },
      },
    },
    async (request, reply) => {
      const { account, channel } = request.caller;
      const { variables = {} } = request.body;
      for (const name of Object.keys(variables)) {
        if (!VARIABLE_NAME.test(name)) {
          throw invalidField('variables', 'must have names of 1 to 64 letters, digits and underscores');
        }
      }
      const { run, replayed } = await triggerAutomation(
        deps,
        { accountId: account.id, channelId: channel.id },
        pathId(request.params.id, 'automation'),
        { contact: contactOf(request.body, config.phoneValidation as PhoneValidation), variables },
        channelClaim(request),
      );
      if (replayed) reply.header('idempotent-replayed', 'true');
      return ok(runRecord(run));
    },
  );

  app.get(
    '/automations/:id/runs',
    {
      config: READ,
      schema: {
        operationId: 'listAutomationRuns',
        tags: TAGS,
        summary: 'List the runs of an automation, the newest first',
        params: OnePath,
        querystring: listQuery({
          status: Type.Optional(
            Type.String({ description: 'In any case; an unknown one finds none.', examples: ['failed'] }),
          ),
        }),
        response: { 200: answer(listData('runs', RunRecord)) },
      },
    },
    async ({ params, query, caller: { account, channel } }) => {
      const page = pageOf(query);
      const scope = { accountId: account.id, channelId: channel.id };
      const id = pathId(params.id, 'automation');
      const { runs, total } = await listRuns(deps, scope, id, { status: query.status, ...page });
      return ok({ runs: runs.map(runRecord), total, ...page });
    },
  );
};

function contactOf(body: { contactId?: string; phone?: string }, validation: PhoneValidation): RunContact {
  const { contactId, phone } = body;
  if (contactId !== undefined && phone !== undefined) {
    throw invalidField('phone', 'must not be sent together with contactId');
  }
  if (contactId !== undefined) return { contactId: bodyId(contactId, 'contactId') };
  if (phone === undefined) throw invalidField('contactId', 'is required unless phone is sent');
  if (!isPhoneNumber(phone, validation)) throw invalidField('phone', PHONE_RULE);
  return { phone };
}

function automationRecord({ id, name, keyword, steps, createdAt, updatedAt }: Automation) {
  return {
    id,
    name,
    keyword,
    steps: steps as object[],
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

function runRecord(run: AutomationRun) {
  const { id, automationId, contactId, status, step, steps, variables, errorMessage, dueAt } = run;
  return {
    id,
    automationId,
    contactId,
    status,
    step,
    stepCount: (steps as unknown[]).length,
    variables: variables as Record<string, string>,
    errorMessage,
    waitingUntil: (status === 'waiting' && dueAt?.toISOString()) || null,
    startedAt: run.startedAt.toISOString(),
    completedAt: run.completedAt?.toISOString() ?? null,
  };
}
