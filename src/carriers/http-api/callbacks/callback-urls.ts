import { buildCallbackPrefix } from '../../callbacks/prefix.js';
import type { Plan, ReportKind } from '../plan.js';

export function buildCallbackPath(carrier: string, kind: ReportKind, secret: string | null): string {
  const path = `${buildCallbackPrefix('http')}/${carrier}/${kind}`;
  return secret === null ? path : `${path}/${encodeURIComponent(secret)}`;
}

export function buildCallbackUrl(
  { publicUrl, pathSecret }: Pick<Plan, 'publicUrl' | 'pathSecret'>,
  carrier: string,
  kind: ReportKind,
): string | null {
  return publicUrl === null ? null : `${publicUrl}${buildCallbackPath(carrier, kind, pathSecret)}`;
}

export function buildReceiptUrl(plan: Plan, carrier: string, ourId: string): string | null {
  const url = plan.receiptsTo && buildCallbackUrl(plan, carrier, plan.receiptsTo);
  return url && `${url}?message=${ourId}`;
}
