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

export const automationQuery = (of: OfChannel, id: string) =>
  queryOptions({
    queryKey: [...automationsKey(of), id],
    queryFn: ({ signal }) =>
      call('GET /accounts/:accountId/channels/:channelId/automations/:id', { params: { ...of, id }, signal }),
  });

export const createAutomation = (of: OfChannel, draft: AutomationDraft) =>
  call('POST /accounts/:accountId/channels/:channelId/automations', { params: of, body: draft });

/** @param before as it was when the change was begun */
export const updateAutomation = (
  of: OfChannel,
  before: Pick<Automation, 'id' | 'version'>,
  changes: Partial<AutomationDraft>,
) =>
  call('PUT /accounts/:accountId/channels/:channelId/automations/:id', {
    params: { ...of, id: before.id },
    version: before.version,
    body: changes,
  });

export const deleteAutomation = (of: OfChannel, id: string) =>
  call('DELETE /accounts/:accountId/channels/:channelId/automations/:id', { params: { ...of, id } });

export const triggerAutomation = (
  of: OfChannel,
  id: string,
  body: Static<typeof TriggerBody>,
  idempotencyKey: string,
) =>
  call('POST /accounts/:accountId/channels/:channelId/automations/:id/trigger', {
    params: { ...of, id },
    body,
    idempotencyKey,
  });

export const cancelRun = (of: OfChannel, id: string, runId: string) =>
  call('POST /accounts/:accountId/channels/:channelId/automations/:id/runs/:runId/cancel', {
    params: { ...of, id, runId },
  });
