import type pg from 'pg';
import { Simulator } from '../../carriers/simulator/simulator.js';
import { type CodeSeal, withCode } from '../../messages/codes/code-seal.js';
import { findSimulated, type SimulatedFilter } from './simulated-codes-store.js';

/** A sign-in code that the simulator took, and that lives. */
export interface SimulatedCode {
  accountId: string;
  /** Digits with country code. */
  recipient: string;
  messageId: string;
  kind: 'sms' | 'whatsapp';
  sender: string;
  /** Null where a login system made the code: the text tells it. */
  code: string | null;
  text: string;
  /** The end of its life, ISO 8601. */
  expiresAt: string;
}

/**
 * The codes that a telephone would show by now, the newest first. The simulator reaches no telephone, so nobody else can read
 * them. A code of which any other carrier was given a message is not among them, so that with real carriers there is nothing
 * to read.
 * @throws where a code was sealed under a secret that this process does not have
 */
export async function readSimulatedCodes(
  pool: pg.Pool,
  codes: CodeSeal,
  filter: SimulatedFilter,
): Promise<SimulatedCode[]> {
  const found = await findSimulated(pool, Simulator.carrierName, filter);
  return found.map(({ verificationId, sealed, body, expiresAt, ...rest }) => {
    const code = codes.open(sealed, verificationId);
    if (code === null) throw new Error('The code was sealed under another VERIFICATION_SECRET than this command has.');
    const text = withCode({ body, content: null }, code).body;
    return { ...rest, code: /^\d+$/.test(code) ? code : null, text, expiresAt: expiresAt.toISOString() };
  });
}
