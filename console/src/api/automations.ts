import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type {
  AutomationBody,
  AutomationView,
  RunView,
  TriggerBody,
} from '../../../src/surfaces/admin/contract/automations-schemas.js';
import type { ChannelRef } from './channel-ref.js';
import { call } from './client/call.js';

export type Automation = AutomationView;
export type Run = RunView;
export type AutomationDraft = Static<typeof AutomationBody>;
export type StepDraft = AutomationDraft['steps'][number];

export const automationsKey = ({ accountId, channelId }: ChannelRef) => ['automations', accountId, channelId] as const;

export const automationQuery = (channelRef: ChannelRef, id: string) =>
  queryOptions({
    queryKey: [...automationsKey(channelRef), id],
    queryFn: ({ signal }) =>
      call('GET /accounts/:accountId/channels/:channelId/automations/:id', { params: { ...channelRef, id }, signal }),
  });

export const createAutomation = (channelRef: ChannelRef, draft: AutomationDraft) =>
  call('POST /accounts/:accountId/channels/:channelId/automations', { params: channelRef, body: draft });

export const updateAutomation = (
  channelRef: ChannelRef,
  before: Pick<Automation, 'id' | 'version'>,
  changes: Partial<AutomationDraft>,
) =>
  call('PUT /accounts/:accountId/channels/:channelId/automations/:id', {
    params: { ...channelRef, id: before.id },
    version: before.version,
    body: changes,
  });

export const deleteAutomation = (channelRef: ChannelRef, id: string) =>
  call('DELETE /accounts/:accountId/channels/:channelId/automations/:id', { params: { ...channelRef, id } });

export const triggerAutomation = (
  channelRef: ChannelRef,
  id: string,
  body: Static<typeof TriggerBody>,
  idempotencyKey: string,
) =>
  call('POST /accounts/:accountId/channels/:channelId/automations/:id/trigger', {
    params: { ...channelRef, id },
    body,
    idempotencyKey,
  });

export const cancelRun = (channelRef: ChannelRef, id: string, runId: string) =>
  call('POST /accounts/:accountId/channels/:channelId/automations/:id/runs/:runId/cancel', {
    params: { ...channelRef, id, runId },
  });
