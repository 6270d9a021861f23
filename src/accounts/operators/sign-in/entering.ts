import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { changing, type ToldChange } from '../../audit/change.js';
import type { Actor } from '../../audit/line.js';
import { HeldOperator } from '../held.js';
import type { Browser, NewSession, Sessions, SignInWay } from '../sessions/sessions.js';

/** What a sign-in leads to: a session, or the question for the code of the second factor. */
export type SignInResult = { session: NewSession; operator: { id: string; name: string } } | 'code needed';

export interface EnteringOptions {
  prisma: Pick<PrismaClient, '$transaction'>;
  sessions: Pick<Sessions, 'begin' | 'endReplaced'>;
}

/** How somebody comes in. */
export interface Entering {
  way: SignInWay;
  place: Browser;
  /**
   * Whether what they have proved themselves by still holds, now that nobody can change it before the session has begun.
   * @returns what else it changed; or that it needs a code first, and changes nothing
   * @throws what the sign-in fails with; then nothing is changed
   */
  prove(held: HeldOperator): Promise<readonly ToldChange[] | 'code needed'>;
  /** What the sign-in of an operator fails with who is switched off, or not there any more. */
  refusal(): Error;
}

/**
 * Begins the session of an operator who has proved who they are, ends the one that it takes the place of in the browser,
 * and writes both down, in one transaction.
 */
export function enter(
  { prisma, sessions }: EnteringOptions,
  { id, name }: { id: string; name: string },
  { way, place, prove, refusal }: Entering,
): Promise<SignInResult> {
  const actor: Actor = { kind: 'operator', id, name, address: place.address };
  return changing<SignInResult>({ prisma }, { actor, accountId: null }, async (change) => {
    const held = await HeldOperator.of(change.prisma, id);
    if (!held?.row.isActive) throw refusal();
    const told = await prove(held);
    if (told === 'code needed') return { result: told, told: null };
    const ended = await sessions.endReplaced(change.prisma, place.token);
    const session = await sessions.begin(held, place, way);
    const began = { action: 'session.create', subject: session.id, after: { way } };
    const replaced = ended && {
      action: 'session.end',
      subject: ended.id,
      before: { operatorId: ended.operatorId },
      after: { replacedBy: session.id },
    };
    return { result: { session, operator: { id, name } }, told: [...told, ...(replaced ? [replaced] : []), began] };
  });
}
