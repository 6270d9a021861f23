import { Type } from '@sinclair/typebox';
import { DoneData, pageQuery } from '../answers.js';
import { AutomationBody, AutomationChange, AutomationData, RunData, TriggerBody } from './automations-schemas.js';
import { type Contract, READ, WRITE } from './contract.js';
import { ChannelPath, ChannelResourcePath } from './paths.js';

const RunPath = Type.Object({ ...ChannelResourcePath.properties, runId: Type.String() });

export const AUTOMATIONS = {
  'GET /accounts/:accountId/channels/:channelId/automations': {
    ...READ,
    operationId: 'consoleListAutomations',
    summary: 'List the automations of a channel, newest first',
    params: ChannelPath,
    query: pageQuery({}),
    entry: AutomationData,
  },
  'POST /accounts/:accountId/channels/:channelId/automations': {
    ...WRITE,
    operationId: 'consoleCreateAutomation',
    summary: 'Create an automation',
    params: ChannelPath,
    body: AutomationBody,
    data: AutomationData,
    errors: [409],
  },
  'GET /accounts/:accountId/channels/:channelId/automations/:id': {
    ...READ,
    operationId: 'consoleGetAutomation',
    summary: 'Show an automation',
    params: ChannelResourcePath,
    data: AutomationData,
  },
  'PUT /accounts/:accountId/channels/:channelId/automations/:id': {
    ...WRITE,
    versioned: true,
    operationId: 'consoleUpdateAutomation',
    summary: 'Change fields of an automation',
    description: 'Runs in progress keep the steps they started with.',
    params: ChannelResourcePath,
    body: AutomationChange,
    data: AutomationData,
    errors: [409],
  },
  'DELETE /accounts/:accountId/channels/:channelId/automations/:id': {
    ...WRITE,
    operationId: 'consoleDeleteAutomation',
    summary: 'Delete an automation and its runs',
    params: ChannelResourcePath,
    data: DoneData,
  },
  'POST /accounts/:accountId/channels/:channelId/automations/:id/trigger': {
    ...WRITE,
    operationId: 'consoleTriggerAutomation',
    summary: 'Start an automation for a contact',
    description:
      'A request repeated within 24 hours with the same `Idempotency-Key` starts nothing and returns the first run.',
    params: ChannelResourcePath,
    body: TriggerBody,
    data: RunData,
    errors: [409],
  },
  'GET /accounts/:accountId/channels/:channelId/automations/:id/runs': {
    ...READ,
    operationId: 'consoleListAutomationRuns',
    summary: 'List the runs of an automation, newest first',
    params: ChannelResourcePath,
    query: pageQuery({
      status: Type.Optional(Type.String({ description: 'In upper or lower case; an unknown status matches nothing.' })),
    }),
    entry: RunData,
  },
  'POST /accounts/:accountId/channels/:channelId/automations/:id/runs/:runId/cancel': {
    ...WRITE,
    operationId: 'consoleCancelAutomationRun',
    summary: 'Cancel a run in progress',
    params: RunPath,
    data: RunData,
    errors: [409],
  },
} satisfies Contract;
