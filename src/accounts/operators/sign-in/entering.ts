import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { changing, type ToldChange } from '../../audit/change.js';
import type { Actor } from '../../audit/line.js';
import { HeldOperator } from '../held.js';
import type { Browser, NewSession, Sessions, SignInWay } from '../sessions/sessions.js';

export type SignInResult = { session: NewSession; operator: { id: string; name: string } } | 'code needed';

export interface EnteringOptions {
  prisma: Pick<PrismaClient, '$transaction'>;
  sessions: Pick<Sessions, 'begin' | 'endReplaced'>;
}

export interface Entering {
  way: SignInWay;
  place: Browser;
  /**
   * Checks that the proof is still valid, now that the operator is locked.
   * @returns audit log entries of what else it changed, or that a code is needed first
   * @throws to fail the sign-in; nothing is changed then
   */
  prove(held: HeldOperator): Promise<readonly ToldChange[] | 'code needed'>;
  /** Returns the error for an operator who is switched off or deleted. */
  refusal(): Error;
}

/**
 * Starts a session for an operator who has proved their identity, ends the browser's previous one, and writes both to
 * the audit log, in one transaction.
 */
export function enter(
  { prisma, sessions }: EnteringOptions,
  { id, name }: { id: string; name: string },
  { way, place: browser, prove, refusal }: Entering,
): Promise<SignInResult> {
  const actor: Actor = { kind: 'operator', id, name, address: browser.address };
  return changing<SignInResult>({ prisma }, { actor, accountId: null }, async (change) => {
    const operator = await HeldOperator.of(change.prisma, id);
    if (!operator?.row.isActive) throw refusal();
    const audit = await prove(operator);
    if (audit === 'code needed') return { result: audit, told: null };
    const replaced = await sessions.endReplaced(change.prisma, browser.token);
    const session = await sessions.begin(operator, browser, way);
    const created = { action: 'session.create', subject: session.id, after: { way } };
    const replacedEntry = replaced && {
      action: 'session.end',
      subject: replaced.id,
      before: { operatorId: replaced.operatorId },
      after: { replacedBy: session.id },
    };
    return { result: { session, operator: { id, name } }, told: [...audit, ...(replacedEntry ? [replacedEntry] : []), created] };
  });
}
