import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type {
  EndedData,
  OwnSession,
  PasswordBody,
  RecoveryCodes,
  SecondFactorData,
} from '../../../src/surfaces/admin/endpoints/operators/me-schemas.js';
import { get, send } from './request.js';

export type OwnSessionEntry = Static<typeof OwnSession>;

export const ownSessionsQuery = queryOptions({
  queryKey: ['session', 'all'],
  queryFn: ({ signal }) => get<OwnSessionEntry[]>('/session/all', undefined, signal),
});

export const endSession = (id: string) => send<object>('DELETE', `/session/all/${id}`);
export const endOtherSessions = () => send<Static<typeof EndedData>>('DELETE', '/session/all');
export const changePassword = (body: Static<typeof PasswordBody>) => send<object>('PUT', '/session/password', body);

/** Makes a secret for an authenticator; it counts once `confirmSecondFactor` was given a code of it. */
export const beginSecondFactor = () => send<Static<typeof SecondFactorData>>('POST', '/session/second-factor');
export const confirmSecondFactor = (code: string) =>
  send<Static<typeof RecoveryCodes>>('POST', '/session/second-factor/confirm', { code });
export const renewRecoveryCodes = (code: string) =>
  send<Static<typeof RecoveryCodes>>('POST', '/session/second-factor/recovery-codes', { code });
export const endSecondFactor = (code: string) => send<object>('DELETE', '/session/second-factor', { code });

/** Proves again who one is; it counts for ten minutes. */
export const confirmIdentity = (proof: { password: string } | { code: string }) =>
  send<object>('POST', '/session/confirm', proof);
