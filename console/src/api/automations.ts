import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type {
  AutomationBody,
  AutomationView,
  RunView,
  TriggerBody,
} from '../../../src/surfaces/admin/contract/automations-schemas.js';
import { call } from './asking/call.js';
import type { OfChannel } from './campaigns.js';

export type Automation = AutomationView;
export type Run = RunView;
export type AutomationDraft = Static<typeof AutomationBody>;
export type StepDraft = AutomationDraft['steps'][number];

export const automationsKey = ({ accountId, channelId }: OfChannel) => ['automations', accountId, channelId] as const;

export const automationQuery = (channelRef: OfChannel, id: string) =>
  queryOptions({
    queryKey: [...automationsKey(channelRef), id],
    queryFn: ({ signal }) =>
      call('GET /accounts/:accountId/channels/:channelId/automations/:id', { params: { ...channelRef, id }, signal }),
  });

export const createAutomation = (channelRef: OfChannel, draft: AutomationDraft) =>
  call('POST /accounts/:accountId/channels/:channelId/automations', { params: channelRef, body: draft });

/** @param before the automation that was edited */
export const updateAutomation = (
  channelRef: OfChannel,
  before: Pick<Automation, 'id' | 'version'>,
  changes: Partial<AutomationDraft>,
) =>
  call('PUT /accounts/:accountId/channels/:channelId/automations/:id', {
    params: { ...channelRef, id: before.id },
    version: before.version,
    body: changes,
  });

export const deleteAutomation = (channelRef: OfChannel, id: string) =>
  call('DELETE /accounts/:accountId/channels/:channelId/automations/:id', { params: { ...channelRef, id } });

export const triggerAutomation = (
  channelRef: OfChannel,
  id: string,
  body: Static<typeof TriggerBody>,
  idempotencyKey: string,
) =>
  call('POST /accounts/:accountId/channels/:channelId/automations/:id/trigger', {
    params: { ...channelRef, id },
    body,
    idempotencyKey,
  });

export const cancelRun = (channelRef: OfChannel, id: string, runId: string) =>
  call('POST /accounts/:accountId/channels/:channelId/automations/:id/runs/:runId/cancel', {
    params: { ...channelRef, id, runId },
  });
