import type { Endpoint, EndpointState } from './endpoint.js';

/**
 * Limits for concurrent attempts to endpoints that are new or in trouble, and to all endpoints, in multiples of
 * `concurrency`. The limits are needed because an endpoint that hangs changes its state and so frees a slot before its
 * attempt ends.
 */
const MAX_FOR_NEW = 2;
const MAX_FOR_ALL = 8;

export interface ClaimRequest {
  webhookId: string;
  count: number;
}

export interface ClaimPlan {
  requests: ClaimRequest[];
  /** Whether an endpoint got fewer slots than it could use. */
  isShort: boolean;
}

/**
 * Endpoints that have waited longest get slots first. Steady endpoints share `concurrency` slots. New endpoints and
 * endpoints in trouble have separate slots, a quarter as many each, so that they take no slots from steady endpoints.
 * @param now Monotonic time in milliseconds.
 */
export function planClaims(
  allEndpoints: Iterable<Endpoint>,
  dueEndpoints: Iterable<readonly [webhookId: string, endpoint: Endpoint]>,
  { concurrency, now }: { concurrency: number; now: number },
): ClaimPlan {
  const quarter = Math.max(1, Math.floor(concurrency / 4));
  const inFlight: Record<EndpointState, number> = { steady: 0, new: 0, trouble: 0 };
  for (const endpoint of allEndpoints) inFlight[endpoint.getState(now)] += endpoint.inFlight;
  const unsteady = inFlight.new + inFlight.trouble;
  const slotsLeft: Record<EndpointState, number> = {
    steady: concurrency - inFlight.steady,
    new: Math.min(quarter - inFlight.new, concurrency * MAX_FOR_NEW - unsteady),
    trouble: quarter - inFlight.trouble,
  };
  let totalSlotsLeft = concurrency * MAX_FOR_ALL - inFlight.steady - unsteady;
  const waiting: Record<EndpointState, { webhookId: string; endpoint: Endpoint; free: number }[]> = {
    steady: [],
    new: [],
    trouble: [],
  };
  for (const [webhookId, endpoint] of dueEndpoints) {
    const free = endpoint.countFreeSlots(now);
    if (free > 0) waiting[endpoint.getState(now)].push({ webhookId, endpoint, free });
  }
  const requests: ClaimRequest[] = [];
  let isShort = false;
  for (const state of ['steady', 'new', 'trouble'] as const) {
    const queue = waiting[state].sort((a, b) => a.endpoint.servedAt - b.endpoint.servedAt);
    let slots = Math.min(slotsLeft[state], totalSlotsLeft);
    for (const [index, { webhookId, free }] of queue.entries()) {
      const count = Math.min(free, Math.max(1, Math.floor(slots / (queue.length - index))), slots);
      isShort ||= count < free;
      if (count <= 0) break;
      requests.push({ webhookId, count });
      slots -= count;
      totalSlotsLeft -= count;
    }
  }
  return { requests, isShort };
}
