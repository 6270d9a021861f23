import type { FastifyInstance, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import {
  type ChangeResult,
  type ChangeStore,
  type ChangeTransaction,
  makeChange,
} from '../../accounts/audit/change.js';
import type { Actor } from '../../accounts/audit/entry.js';
import type { ChannelRef } from '../../accounts/channel-authenticator.js';
import { findHighestRole, isAtLeast, type OperatorRole } from '../../accounts/operators/roles/roles.js';
import type { VisibleAccount } from '../../accounts/operators/roles/visible-accounts.js';
import type { Sessions, SignedIn } from '../../accounts/operators/sessions/sessions.js';
import { requireConfirmed } from '../../accounts/operators/sign-in/confirmation.js';
import type { ChannelSettings } from '../../carriers/channel-settings.js';
import type { OwnedChannel } from '../../features/channels/call-carrier.js';
import type { ChannelSender } from '../../features/conversations/sending/compose.js';
import type { Clock } from '../../platform/clock.js';
import { AppError, notFound } from '../../platform/errors/app-error.js';
import type { RequiredAccess } from './contract/contract.js';
import { sessionToken } from './session-cookie.js';

/** No authentication scheme is registered for cookies (RFC 9110 §11.6.1). */
const CHALLENGE = 'Session realm="console"';

export interface SessionAuthOptions extends Required<ChangeStore> {
  sessions: Pick<Sessions, 'find'>;
  clock: Clock;
  findAccount(accountId: string): Promise<VisibleAccount | null>;
  findChannel(accountId: string, channelId: string, includeDeleted: boolean): Promise<ChannelRef | null>;
}

declare module 'fastify' {
  interface FastifyRequest {
    operator: SignedIn['operator'];
    session: SignedIn['session'];
    actor: Actor & { kind: 'operator' };
    account: VisibleAccount | null;
    channel: ChannelRef | null;
    /**
     * Makes a change and writes its audit log entries in one transaction (see `makeChange`). By default, the audit log entries
     * belong to the account in the path, or to the installation if the path has no account.
     */
    change<T>(work: (change: ChangeTransaction) => Promise<ChangeResult<T>>): Promise<T>;
  }
}

/**
 * Requires the role that the endpoint needs, and loads the account and channel in the path. An account for which the operator
 * has no role gets 404, like an unknown account.
 */
export const sessionAuth = plugin(
  async (app: FastifyInstance, options: SessionAuthOptions) => {
    for (const name of ['operator', 'session', 'actor', 'account', 'channel'] as const) {
      app.decorateRequest(name, null as never);
    }
    app.decorateRequest('change', function change(this: FastifyRequest, work) {
      return makeChange(options, { actor: this.actor, accountId: this.account?.id ?? null }, work);
    });
    app.addHook('onRequest', async (request, reply) => {
      const { needs = 'session', roleScope, confirmed } = request.routeOptions.config;
      if (needs === 'nothing') return;
      const signedIn = await options.sessions.find(sessionToken(request), { isUse: isMadeByPerson(request) });
      if (!signedIn) {
        reply.header('www-authenticate', CHALLENGE);
        throw new AppError('UNAUTHORIZED', 'Nobody is signed in, or the session has ended.');
      }
      const { operator, session } = signedIn;
      request.operator = operator;
      request.session = session;
      request.actor = { kind: 'operator', id: operator.id, name: operator.name, address: request.ip };
      const hasAccount = 'accountId' in (request.params as object);
      if (hasAccount) {
        // Endpoints for viewers only read, so they may show the history of a deleted channel.
        const includeDeleted = roleScope === 'account' && needs === 'viewer';
        await enterAccount(request, roleScope === 'account' ? needs : 'viewer', includeDeleted, options);
      }
      if (roleScope === 'installation') requireRole(findHighestRole(operator.grants, null), needs, 'installation');
      if (confirmed) requireConfirmed(session, options.clock);
    });
  },
  { name: 'session-auth' },
);

/** Marks requests that a page makes without a person's action. */
export const BACKGROUND_HEADER = 'x-console-background';

/** Returns whether a person made the request, which is assumed for every method except GET. */
function isMadeByPerson({ method, headers, routeOptions }: FastifyRequest): boolean {
  return method !== 'GET' || (headers[BACKGROUND_HEADER] === undefined && !routeOptions.config.background);
}

async function enterAccount(
  request: FastifyRequest,
  needs: RequiredAccess,
  includeDeleted: boolean,
  { findAccount, findChannel }: SessionAuthOptions,
): Promise<void> {
  const { accountId = '', channelId } = request.params as { accountId?: string; channelId?: string };
  const role = findHighestRole(request.operator.grants, accountId.toLowerCase());
  const account = role && (await findAccount(accountId));
  if (!account) throw notFound('account');
  requireRole(role, needs, 'account');
  request.account = account;
  if (channelId === undefined) return;
  request.channel = await findChannel(account.id, channelId, includeDeleted);
  if (!request.channel) throw notFound('channel');
}

function requireRole(role: OperatorRole | null, needs: RequiredAccess, level: string): void {
  if (role && isAtLeast(role, needs as OperatorRole)) return;
  throw new AppError('FORBIDDEN', `This requires the role ${needs} for the ${level}.`);
}

export function requestAccount({ account }: FastifyRequest): VisibleAccount {
  return account as VisibleAccount;
}

export function requestChannel({ channel }: FastifyRequest): ChannelRef {
  return channel as ChannelRef;
}

export function requestScope(request: FastifyRequest): { accountId: string; channelId: string } {
  return { accountId: requestAccount(request).id, channelId: requestChannel(request).id };
}

export function requestOwnedChannel(request: FastifyRequest): OwnedChannel {
  const { id, kind, phoneNumber, carrier, carrierSettings } = requestChannel(request);
  const settings = carrierSettings as ChannelSettings | null;
  return { id, kind, phoneNumber, carrier, carrierSettings: settings, accountId: requestAccount(request).id };
}

export function requestSender(request: FastifyRequest): ChannelSender {
  return { account: requestAccount(request), channel: requestChannel(request) };
}
