import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type {
  AutomationBody,
  AutomationView,
  RunView,
  TriggerBody,
} from '../../../src/surfaces/admin/endpoints/automations-schemas.js';
import { type OfChannel, pathOfChannel } from './campaigns.js';
import { get, send, sendVersioned } from './request.js';

export type Automation = AutomationView;
export type Run = RunView;
export type AutomationDraft = Static<typeof AutomationBody>;
export type StepDraft = AutomationDraft['steps'][number];

export const automationsPath = (of: OfChannel) => `${pathOfChannel(of)}/automations`;
export const automationsKey = ({ accountId, channelId }: OfChannel) => ['automations', accountId, channelId] as const;

export const automationQuery = (of: OfChannel, id: string) =>
  queryOptions({
    queryKey: [...automationsKey(of), id],
    queryFn: ({ signal }) => get<Automation>(`${automationsPath(of)}/${id}`, undefined, signal),
  });

export const createAutomation = (of: OfChannel, draft: AutomationDraft) =>
  send<Automation>('POST', automationsPath(of), draft);

/** @param before as it was when the change was begun */
export const updateAutomation = (
  of: OfChannel,
  before: Pick<Automation, 'id' | 'version'>,
  changes: Partial<AutomationDraft>,
) => sendVersioned<Automation>('PUT', `${automationsPath(of)}/${before.id}`, before.version, changes);

export const deleteAutomation = (of: OfChannel, id: string) => send<object>('DELETE', `${automationsPath(of)}/${id}`);

export const triggerAutomation = (of: OfChannel, id: string, body: Static<typeof TriggerBody>) =>
  send<Run>('POST', `${automationsPath(of)}/${id}/trigger`, body);

export const cancelRun = (of: OfChannel, id: string, runId: string) =>
  send<Run>('POST', `${automationsPath(of)}/${id}/runs/${runId}/cancel`);
