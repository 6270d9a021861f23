import { callbackPrefix } from '../../callbacks/prefix.js';
import type { Plan, ReportKind } from '../plan.js';

/** The path at which a vendor calls a carrier. */
export function callbackPath(carrier: string, kind: ReportKind, secret: string | null): string {
  const path = `${callbackPrefix('http')}/${carrier}/${kind}`;
  return secret === null ? path : `${path}/${encodeURIComponent(secret)}`;
}

/** Where a vendor is to call for a kind of report; null where the operator has not said how this server is reached. */
export function callbackUrlOf(
  { publicUrl, pathSecret }: Pick<Plan, 'publicUrl' | 'pathSecret'>,
  carrier: string,
  kind: ReportKind,
): string | null {
  return publicUrl === null ? null : `${publicUrl}${callbackPath(carrier, kind, pathSecret)}`;
}

/** Where a carrier should send receipts, with our ID of the message or of the attempt; null if it should send none. */
export function receiptUrlOf(plan: Plan, carrier: string, ourId: string): string | null {
  const url = plan.receiptsTo && callbackUrlOf(plan, carrier, plan.receiptsTo);
  return url && `${url}?message=${ourId}`;
}
