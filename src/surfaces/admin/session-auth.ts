import type { FastifyInstance, FastifyRequest } from 'fastify';
import plugin from 'fastify-plugin';
import { type Changed, type ChangeInHand, type ChangeStore, changing } from '../../accounts/audit/change.js';
import type { Actor } from '../../accounts/audit/line.js';
import type { ChannelRef } from '../../accounts/channel-authenticator.js';
import type { SeenAccount } from '../../accounts/operators/roles/accounts-seen.js';
import { isAtLeast, type OperatorRole, roleFor } from '../../accounts/operators/roles/roles.js';
import type { Sessions, SignedIn } from '../../accounts/operators/sessions/sessions.js';
import { requireConfirmed } from '../../accounts/operators/sign-in/confirmation.js';
import type { ChannelSettings } from '../../carriers/channel-settings.js';
import type { OwnedChannel } from '../../features/channels/call-carrier.js';
import type { ChannelSender } from '../../features/conversations/sending/compose.js';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { Need } from './contract/contract.js';
import { sessionToken } from './session-cookie.js';

/** `WWW-Authenticate` of a 401: there is no registered scheme for cookies (RFC 9110 §11.6.1). */
const CHALLENGE = 'Session realm="console"';

export interface SessionAuthOptions extends Required<ChangeStore> {
  sessions: Pick<Sessions, 'find'>;
  clock: Clock;
  /** An account; null where there is none. */
  findAccount(accountId: string): Promise<SeenAccount | null>;
  /** A channel of an account; null where it has none such. */
  /** @param orDeleted those that were deleted count too */
  findChannel(accountId: string, channelId: string, orDeleted: boolean): Promise<ChannelRef | null>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in; set on every endpoint of the console that needs a session. */
    operator: SignedIn['operator'];
    session: SignedIn['session'];
    /** The operator as the audit log names them. */
    actor: Actor & { kind: 'operator' };
    /** The account of the path; see `accountOf`. */
    account: SeenAccount | null;
    /** The channel of the path; see `channelOf`. */
    channel: ChannelRef | null;
    /**
     * Makes a change with its line of the audit log, in one transaction; see `changing`. Lines are of the account of the
     * path, or of the installation without one, unless they say another.
     */
    change<T>(work: (change: ChangeInHand) => Promise<Changed<T>>): Promise<T>;
  }
}

/**
 * Lets a request pass whose session has the role that its endpoint needs, and loads the account and the channel of its
 * path. No session: 401. An account that the operator has no role for, or that is not there: 404. Too low a role: 403.
 */
export const sessionAuth = plugin(
  async (app: FastifyInstance, options: SessionAuthOptions) => {
    for (const name of ['operator', 'session', 'actor', 'account', 'channel'] as const) {
      app.decorateRequest(name, null as never);
    }
    app.decorateRequest('change', function change(this: FastifyRequest, work) {
      return changing(options, { actor: this.actor, accountId: this.account?.id ?? null }, work);
    });
    app.addHook('onRequest', async (request, reply) => {
      const { needs = 'session', of, confirmed } = request.routeOptions.config;
      if (needs === 'nothing') return;
      const found = await options.sessions.find(sessionToken(request), { isUse: isUse(request) });
      if (!found) {
        reply.header('www-authenticate', CHALLENGE);
        throw new AppError('UNAUTHORIZED', 'Nobody is signed in, or the session has ended.');
      }
      const { operator, session } = found;
      request.operator = operator;
      request.session = session;
      request.actor = { kind: 'operator', id: operator.id, name: operator.name, address: request.ip };
      const hasAccount = 'accountId' in (request.params as object);
      if (hasAccount) {
        // What needs a viewer changes nothing: the history of a deleted channel can still be read.
        const orDeleted = of === 'account' && needs === 'viewer';
        await enterAccount(request, of === 'account' ? needs : 'viewer', orDeleted, options);
      }
      if (of === 'installation') requireRole(roleFor(operator.grants, null), needs, 'installation');
      if (confirmed) requireConfirmed(session, options.clock);
    });
  },
  { name: 'session-auth' },
);

/** By which a page tells of what it asks by itself, while nobody is there. */
export const BACKGROUND_HEADER = 'x-console-background';

/** Whether somebody is at the page. What changes something always is. */
function isUse({ method, headers, routeOptions }: FastifyRequest): boolean {
  return method !== 'GET' || (headers[BACKGROUND_HEADER] === undefined && !routeOptions.config.background);
}

async function enterAccount(
  request: FastifyRequest,
  needs: Need,
  orDeleted: boolean,
  { findAccount, findChannel }: SessionAuthOptions,
): Promise<void> {
  const { accountId = '', channelId } = request.params as { accountId?: string; channelId?: string };
  const role = roleFor(request.operator.grants, accountId.toLowerCase());
  const account = role && (await findAccount(accountId));
  if (!account) throw new AppError('NOT_FOUND', 'There is no account with this id.');
  requireRole(role, needs, 'account');
  request.account = account;
  if (channelId === undefined) return;
  request.channel = await findChannel(account.id, channelId, orDeleted);
  if (!request.channel) throw new AppError('NOT_FOUND', 'There is no channel with this id.');
}

function requireRole(role: OperatorRole | null, needs: Need, of: string): void {
  if (role && isAtLeast(role, needs as OperatorRole)) return;
  throw new AppError('FORBIDDEN', `This needs the role ${needs} of the ${of}.`);
}

/** The account of a path with `/accounts/:accountId`. */
export function accountOf({ account }: FastifyRequest): SeenAccount {
  return account as SeenAccount;
}

/** The channel of a path with `/channels/:channelId`, as the caller of Surface B has it. */
export function channelOf({ channel }: FastifyRequest): ChannelRef {
  return channel as ChannelRef;
}

/** The channel of a path, and its account: what every query about a channel is limited to. */
export function scopeOf(request: FastifyRequest): { accountId: string; channelId: string } {
  return { accountId: accountOf(request).id, channelId: channelOf(request).id };
}

/** The channel of a path, whose carrier may be asked for something. */
export function ownedChannelOf(request: FastifyRequest): OwnedChannel {
  const { id, kind, phoneNumber, carrier, carrierSettings } = channelOf(request);
  const settings = carrierSettings as ChannelSettings | null;
  return { id, kind, phoneNumber, carrier, carrierSettings: settings, accountId: accountOf(request).id };
}

/** On whose behalf the channel of a path sends. */
export function senderOf(request: FastifyRequest): ChannelSender {
  return { account: accountOf(request), channel: channelOf(request) };
}
