import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { type AuditEntryInput, makeChange } from '../../audit/change.js';
import type { Actor } from '../../audit/entry.js';
import { LockedOperator } from '../locked-operator.js';
import type { BrowserClient, NewSession, Sessions, SignInMethod } from '../sessions/sessions.js';

export type SignInResult = { session: NewSession; operator: { id: string; name: string } } | 'code needed';

export interface StartSessionOptions {
  prisma: Pick<PrismaClient, '$transaction'>;
  sessions: Pick<Sessions, 'create' | 'endReplaced'>;
}

export interface ProvedSignIn {
  way: SignInMethod;
  browser: BrowserClient;
  /**
   * Checks the proof again once the operator is locked, and throws to refuse the sign-in. `prove` returns the audit log entries
   * of its changes, or `code needed` if the operator must enter a code first.
   */
  prove(locked: LockedOperator): Promise<readonly AuditEntryInput[] | 'code needed'>;
  refusal(): Error;
}

/** Creates a session, ends the browser's previous session and writes the audit log entries in one transaction. */
export function startSession(
  { prisma, sessions }: StartSessionOptions,
  { id, name }: { id: string; name: string },
  { way, browser, prove, refusal }: ProvedSignIn,
): Promise<SignInResult> {
  const actor: Actor = { kind: 'operator', id, name, address: browser.address };
  return makeChange<SignInResult>({ prisma }, { actor, accountId: null }, async (change) => {
    const operator = await LockedOperator.lock(change.prisma, id);
    if (!operator?.row.isActive) throw refusal();
    const audit = await prove(operator);
    if (audit === 'code needed') return { result: audit, audit: null };
    const replacedSession = await sessions.endReplaced(change.prisma, browser.token);
    const session = await sessions.create(operator, browser, way);
    const createdEntry = { action: 'session.create', subject: session.id, after: { way } };
    const replacedEntry = replacedSession && {
      action: 'session.end',
      subject: replacedSession.id,
      before: { operatorId: replacedSession.operatorId },
      after: { replacedBy: session.id },
    };
    return {
      result: { session, operator: { id, name } },
      audit: [...audit, ...(replacedEntry ? [replacedEntry] : []), createdEntry],
    };
  });
}
