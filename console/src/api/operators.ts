import type { Static } from '@sinclair/typebox';
import type {
  LinkData,
  NewOperatorBody,
  NewOperatorData,
  OperatorData,
} from '../../../src/surfaces/admin/endpoints/operators/operators-schemas.js';
import { queryClient } from './query-client.js';
import { send } from './request.js';
import { type Grant, sessionQuery } from './session.js';

export type Operator = Static<typeof OperatorData>;

/** A link that signs somebody in once. */
export type SignInLink = Static<typeof LinkData>;

export const operatorsKey = ['operators', null] as const;

export const createOperator = (body: Static<typeof NewOperatorBody>) =>
  change<Static<typeof NewOperatorData>>('POST', '/operators', body);

/** Gives an operator these roles in place of those that they have. */
export const setGrants = (id: string, grants: readonly Grant[]) =>
  change('PUT', `/operators/${id}/grants`, { grants: grants.map(({ role, accountId }) => ({ role, accountId })) });

export const switchOperator = (id: string, isActive: boolean) => change('PUT', `/operators/${id}/active`, { isActive });

/** Gives an operator a further link; those before it are good no more. */
export const giveLink = (id: string) => change<SignInLink>('POST', `/operators/${id}/link`);

/** Takes the password and the second factor away, and gives a link to begin anew. */
export const resetOperator = (id: string) => change<SignInLink>('POST', `/operators/${id}/reset`);

export const removeOperator = (id: string) => change('DELETE', `/operators/${id}`);

async function change<T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T> {
  const answer = await send<T>(method, path, body);
  // Who is changed may be who is signed in here.
  const stale = [operatorsKey, ['audit'], sessionQuery.queryKey];
  await Promise.all(stale.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  return answer;
}
