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
  /** Null if a login system created the code; then `text` contains it. */
  code: string | null;
  text: string;
  /** ISO 8601. */
  expiresAt: string;
}

/**
 * Codes sent through any other carrier are excluded, so with real carriers nothing can be read.
 * @throws if a code was sealed with a different secret
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
