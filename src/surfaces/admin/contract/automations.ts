import { Type } from '@sinclair/typebox';
import { DoneData, pageQuery } from '../answers.js';
import {
  AutomationBody,
  AutomationChange,
  AutomationData,
  RunData,
  TriggerBody,
} from './automations-schemas.js';
import { ChannelPath, ChannelThingPath } from './paths.js';
import { type Contract, READ, WRITE } from './contract.js';

const RunPath = Type.Object({ ...ChannelThingPath.properties, runId: Type.String() });

export const AUTOMATIONS = {
  'GET /accounts/:accountId/channels/:channelId/automations': {
    ...READ,
    operationId: 'consoleListAutomations',
    summary: 'List the automations of a channel, the newest first',
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
    params: ChannelThingPath,
    data: AutomationData,
  },
  'PUT /accounts/:accountId/channels/:channelId/automations/:id': {
    ...WRITE,
    versioned: true,
    operationId: 'consoleUpdateAutomation',
    summary: 'Change the given fields of an automation',
    description: 'Runs under way keep the steps with which they began.',
    params: ChannelThingPath,
    body: AutomationChange,
    data: AutomationData,
    errors: [409],
  },
  'DELETE /accounts/:accountId/channels/:channelId/automations/:id': {
    ...WRITE,
    operationId: 'consoleDeleteAutomation',
    summary: 'Delete an automation and its runs',
    params: ChannelThingPath,
    data: DoneData,
  },
  'POST /accounts/:accountId/channels/:channelId/automations/:id/trigger': {
    ...WRITE,
    operationId: 'consoleTriggerAutomation',
    summary: 'Start an automation for a contact',
    description:
      'With an `Idempotency-Key` a repetition within 24 hours starts nothing more and has the run that was started.',
    params: ChannelThingPath,
    body: TriggerBody,
    data: RunData,
    errors: [409],
  },
  'GET /accounts/:accountId/channels/:channelId/automations/:id/runs': {
    ...READ,
    operationId: 'consoleListAutomationRuns',
    summary: 'List the runs of an automation, the newest first',
    params: ChannelThingPath,
    query: pageQuery({
      status: Type.Optional(Type.String({ description: 'In any case; an unknown one finds none.' })),
    }),
    entry: RunData,
  },
  'POST /accounts/:accountId/channels/:channelId/automations/:id/runs/:runId/cancel': {
    ...WRITE,
    operationId: 'consoleCancelAutomationRun',
    summary: 'Cancel a run that is under way',
    params: RunPath,
    data: RunData,
    errors: [409],
  },
} satisfies Contract;
