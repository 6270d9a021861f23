import type pg from 'pg';
import { Simulator } from '../../carriers/simulator/simulator.js';
import { type CodeSeal, insertCode } from '../../messages/sign-in-codes/code-seal.js';
import { findSimulatedCodes, type SimulatedFilter } from './simulated-codes-store.js';

export interface SimulatedCode {
  accountId: string;
  /** Digits with country code. */
  recipient: string;
  messageId: string;
  kind: 'sms' | 'whatsapp';
  sender: string;
  /** The code; null if a login system created the code, which is then only in `text`. */
  code: string | null;
  text: string;
  /** ISO 8601. */
  expiresAt: string;
}

/**
 * Codes sent through a real carrier are excluded, so that no real recipient's code can be read. Throws an error if a
 * code was sealed with a different secret.
 */
export async function readSimulatedCodes(
  pool: pg.Pool,
  codes: CodeSeal,
  filter: SimulatedFilter,
): Promise<SimulatedCode[]> {
  const rows = await findSimulatedCodes(pool, Simulator.carrierName, filter);
  return rows.map(({ verificationId, sealed, body, expiresAt, ...rest }) => {
    const code = codes.open(sealed, verificationId);
    if (code === null)
      throw new Error(
        "The code was sealed with a different VERIFICATION_SECRET. Run this command with the server's secret.",
      );
    const text = insertCode({ body, content: null }, code).body;
    return { ...rest, code: /^\d+$/.test(code) ? code : null, text, expiresAt: expiresAt.toISOString() };
  });
}
