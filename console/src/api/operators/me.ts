import type { Static } from '@sinclair/typebox';
import { queryOptions } from '@tanstack/react-query';
import type { OwnSession, PasswordBody } from '../../../../src/surfaces/admin/contract/operators/me-schemas.js';
import { call } from '../client/call.js';

export type OwnSessionEntry = Static<typeof OwnSession>;

export const ownSessionsQuery = queryOptions({
  queryKey: ['session', 'all'],
  queryFn: ({ signal }) => call('GET /session/all', { signal }),
});

export const endSession = (id: string) => call('DELETE /session/all/:sessionId', { params: { sessionId: id } });
export const endOtherSessions = () => call('DELETE /session/all');
export const changePassword = (body: Static<typeof PasswordBody>) => call('PUT /session/password', { body });

/** Creates a secret for an authenticator app, which takes effect after `confirmSecondFactor`. */
export const startSecondFactor = () => call('POST /session/second-factor');
export const confirmSecondFactor = (code: string) => call('POST /session/second-factor/confirm', { body: { code } });
export const renewRecoveryCodes = (code: string) =>
  call('POST /session/second-factor/recovery-codes', { body: { code } });
export const endSecondFactor = (code: string) => call('DELETE /session/second-factor', { body: { code } });

/** Confirms the operator's identity for the next ten minutes. */
export const confirmIdentity = (proof: { password: string } | { code: string }) =>
  call('POST /session/confirm', { body: proof });
